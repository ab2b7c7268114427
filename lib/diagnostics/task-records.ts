import type { Diagnostics } from '../contract/resources/diagnostics.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Task } from '../platform/task.ts';

interface Deps {
  readonly clock: Clock;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly metrics: Pick<Metrics, 'taskFailed'>;
}

type TaskReport = Diagnostics['tasks'][number];

/** Returns a function that logs and counts the failures of a background task. */
export function createFailureReport(task: string, { log, metrics }: Omit<Deps, 'clock'>) {
  return (error: unknown): void => {
    metrics.taskFailed({ task });
    log.failure(error, { task });
  };
}

/** Wraps tasks to record the results of their runs. Logs and counts failures. The runs of the returned tasks never reject. */
export function recordTasks(tasks: readonly Task[], { clock, ...outside }: Deps) {
  const reports = new Map<string, TaskReport>();

  function record({ name, everyMs, run }: Task): Task {
    let report: TaskReport = { name, failures: 0 };
    const reportFailure = createFailureReport(name, outside);
    const update = (changes: Partial<TaskReport>) => {
      report = { ...report, ...changes };
      reports.set(name, report);
    };
    update({});
    return {
      name,
      everyMs,
      async run(signal) {
        const succeeded = () => update({ last_success: nowSecs(clock) });
        try {
          await run(signal, succeeded);
          if (!signal.aborted) succeeded();
        } catch (error) {
          // A run that the shutdown aborted does not count as failed.
          if (signal.aborted) return;
          update({ failures: report.failures + 1 });
          reportFailure(error);
        }
      },
    };
  }

  return {
    tasks: tasks.map(record),
    report: (): TaskReport[] => [...reports.values()],
  };
}
