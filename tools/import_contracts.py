"""A contract type for import-linter, whose own contracts can forbid packages but not list the only allowed ones."""

from typing import Any, cast

from importlinter import Contract, ContractCheck, fields, output


class AllowedImports(Contract):
    """`package` imports nothing but itself and the `allowed` packages."""

    package = fields.StringField()
    allowed = fields.ListField(subfield=fields.StringField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        package = str(self.package)
        allowed = [package, *cast("list[str]", self.allowed)]
        found = [
            f"{importer} imports {imported}"
            for importer in sorted({package, *graph.find_descendants(package)})
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not any(f"{imported}.".startswith(f"{name}.") for name in allowed)
        ]
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["found"]:
            output.print_error(line)
