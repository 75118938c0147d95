"""Run every benchmark and print one table."""

from bench.api import api_rows
from bench.calibration import calibrate
from bench.cli import cli_rows
from bench.drawing import drawing_rows
from bench.engine import engine_rows
from bench.letters import letter_rows
from bench.mail import mail_rows
from bench.pages import page_rows
from bench.table import Row, print_table


def main() -> None:
    loops = calibrate()
    rows: list[Row] = [Row("calibration: plain Python loop", f"{loops / 1e6:.2f} M steps/s", "", None)]
    rows += engine_rows(loops)
    rows += drawing_rows()
    rows += mail_rows()
    rows += api_rows()
    rows += letter_rows()
    rows += cli_rows()
    rows += page_rows()
    print_table(rows)


main()
