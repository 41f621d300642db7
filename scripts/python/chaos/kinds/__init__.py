"""The kinds of faults, in the order of the table."""

from chaos.kinds.backup import KillBackup
from chaos.kinds.clients import DropInBody, DropInResponse
from chaos.kinds.clock import MoveClock
from chaos.kinds.commands import KillImport, KillRepair
from chaos.kinds.disk import FillDisk
from chaos.kinds.files import ExhaustFiles
from chaos.kinds.finish import KillFinish
from chaos.kinds.first_start import KillFirstStart
from chaos.kinds.instances import FreezeInstances, KillInstances, ReplaceInstances
from chaos.kinds.kills import KillBoth, KillPostgres, KillPostgresTwice, KillService, ReusedPid
from chaos.kinds.migrate import KillMigrate
from chaos.kinds.postgres import CutConnections, PausePostgres, RestartPostgres
from chaos.kinds.rotation import KillRotation

KINDS = {
    kind.name: kind for kind in (
        KillService(), KillPostgres(), KillBoth(), KillPostgresTwice(), ReusedPid(), RestartPostgres(),
        CutConnections(), PausePostgres(), FillDisk(), ExhaustFiles(), DropInBody(), DropInResponse(), MoveClock(),
        KillMigrate(), KillImport(), KillFinish(), KillRepair(), KillBackup(), KillRotation(),
        KillFirstStart(), KillInstances(), ReplaceInstances(), FreezeInstances())
}
# The kinds of `--short`.
MAIN = ["kill-service", "kill-postgres", "kill-both", "restart-postgres", "cut-connections", "pause-postgres",
        "drop-in-body", "drop-in-response", "kill-import", "kill-finish"]
