"""An executor of Snakemake for benches: writes the outputs of a job, and is done with it at once.

A temporary output has 1,000 bytes. The file ``peak`` gets the most bytes of the folder ``temp``.
"""

from pathlib import Path
from typing import Any

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

common_settings = CommonSettings(
    non_local_exec=False,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_envvar_declarations_to_cmd=False,
    auto_deploy_default_storage_provider=False,
)


class Executor(RealExecutor):
    """Runs nothing."""

    def __post_init__(self) -> None:
        """Begin with no bytes."""
        self._peak = 0

    def run_job(self, job: Any) -> None:
        """Write the outputs of *job*."""
        info = SubmittedJobInfo(job=job)
        self.report_job_submission(info)
        for file in job.output:
            path = Path(str(file))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(1000 if file.is_flagged("temp") else 0))
        if Path("temp").is_dir():
            self._peak = max(self._peak, sum(f.stat().st_size for f in Path("temp").iterdir()))
        self.report_job_success(info)

    def shutdown(self) -> None:
        """Write down the peak."""
        Path("peak").write_text(str(self._peak))

    def cancel(self) -> None:
        """Do nothing: no job goes on."""

    def get_exec_mode(self) -> Any:
        """Raise: no job is started."""
        raise NotImplementedError

    def get_python_executable(self) -> str:
        """Raise: no job is started."""
        raise NotImplementedError

    @property
    def cores(self) -> Any:
        """The cores that the user gave."""
        return self.workflow.resource_settings.cores
