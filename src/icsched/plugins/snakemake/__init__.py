"""Job selection for Snakemake in the order of a plan (the extra ``snakemake``).

Nothing here imports Snakemake: the package ``snakemake_scheduler_plugin_icsched`` does.
"""

from icsched.plugins.snakemake.chooser import Chooser
from icsched.plugins.snakemake.supervisor import Supervisor

__all__ = ["Chooser", "Supervisor"]
