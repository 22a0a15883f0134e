"""The test that the interface of Snakemake's plugins has for every scheduler."""

from snakemake_interface_scheduler_plugins.tests import TestSchedulerBase

from snakemake_scheduler_plugin_icsched import Scheduler, SchedulerSettings


class TestScheduler(TestSchedulerBase):
    __test__ = True

    def get_scheduler_cls(self):
        return Scheduler

    def get_scheduler_settings(self):
        return SchedulerSettings()


class TestSchedulerThatIsLean(TestScheduler):
    def get_scheduler_settings(self):
        return SchedulerSettings(order="lean", skip_input_sizes=True)
