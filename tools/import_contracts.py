"""A kind of import rule of our own: a package that may use only the standard library, and not all of that."""

import sys
from typing import Any, cast

from importlinter import Contract, ContractCheck, fields, output


class StandardLibraryOnly(Contract):
    """`package` imports only itself and the standard library, less what is `banned`."""

    package = fields.StringField()
    banned = fields.ListField(subfield=fields.StringField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        package = str(self.package)
        allowed = sys.stdlib_module_names - set(cast("list[str]", self.banned))
        found = []
        for importer in sorted({package, *graph.find_descendants(package)}):
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                inside = imported == package or imported.startswith(f"{package}.")
                if not inside and imported.split(".")[0] not in allowed:
                    found.append(f"{importer} imports {imported}")
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["found"]:
            output.print_error(line)
