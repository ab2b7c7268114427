import type { Diagnostics } from '../contract/resources/diagnostics.ts';
import { toBridgeError } from '../errors/bridge-error.ts';
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

// A task that fails every few seconds, for example while a server is down, must not fill the log.
const LOG_AGAIN_MS = 60_000;

/**
 * Wraps tasks to record the results of their runs. Counts all failures. Logs a failure at most once a minute as long as a task
 * fails for the same reason. The runs of the returned tasks never reject.
 */
export function recordTasks(tasks: readonly Task[], { clock, log, metrics }: Deps) {
  const reports = new Map<string, TaskReport>();

  function record({ name, everyMs, run }: Task): Task {
    let report: TaskReport = { name, failures: 0 };
    let lastLogged: { readonly message: string; readonly atMs: number } | undefined;
    const update = (changes: Partial<TaskReport>) => {
      report = { ...report, ...changes };
      reports.set(name, report);
    };
    update({});
    return {
      name,
      everyMs,
      async run(signal) {
        const succeeded = () => {
          lastLogged = undefined;
          update({ last_success: nowSecs(clock) });
        };
        try {
          await run(signal, succeeded);
          if (!signal.aborted) succeeded();
        } catch (error) {
          // A run that the shutdown aborted does not count as failed.
          if (signal.aborted) return;
          update({ failures: report.failures + 1 });
          metrics.taskFailed({ task: name });
          const { message } = toBridgeError(error);
          const nowMs = clock.monotonicMs();
          const isRepeated =
            lastLogged?.message === message && nowMs - lastLogged.atMs < LOG_AGAIN_MS;
          if (isRepeated) return;
          lastLogged = { message, atMs: nowMs };
          log.failure(error, { task: name });
        }
      },
    };
  }

  return {
    tasks: tasks.map(record),
    report: (): TaskReport[] => [...reports.values()],
  };
}
