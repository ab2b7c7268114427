import { BridgeError } from '../../errors/bridge-error.ts';
import { isInterruption } from '../../errors/interruption.ts';
import type { Clock } from '../../platform/clock.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import { reportInvoiceId } from '../invoice-ids.ts';
import type { ProviderContext, ProviderOutput, ProviderResult } from '../provider-port.ts';
import type { TaskClient } from './task-client.ts';
import { failureError } from './task-failures.ts';
import type { createTaskImages } from './task-images.ts';
import type { TaskCall, TaskService, TaskState, TaskTicket } from './task-service.ts';
import type { createTaskStart, Task } from './task-start.ts';
import type { TaskTiming } from './task-timing.ts';
import type { createTaskWatch } from './task-watch.ts';

interface Deps {
  readonly service: TaskService;
  readonly client: Pick<TaskClient, 'cancel'>;
  readonly started: ReturnType<typeof createTaskStart>;
  readonly ended: ReturnType<typeof createTaskWatch>;
  readonly imageBytes: ReturnType<typeof createTaskImages>;
  readonly clock: Clock;
  readonly timing: TaskTiming;
}

type Done = Extract<TaskState, { readonly phase: 'done' }>;

/** Creates the function that runs one call: starts a task, waits for its end and fetches its images. */
export function createTaskRun(deps: Deps) {
  const { service, client, started, ended, imageBytes, clock, timing } = deps;

  async function outputsOf(
    { images }: Done,
    json: StreamedJson,
    { request, model }: TaskCall,
    signal: AbortSignal,
  ): Promise<readonly ProviderOutput[]> {
    refuseCount(images.length, request.indices.length);
    const outputs = [];
    for (const image of images) {
      const bytes = await imageBytes(image, json, signal);
      outputs.push({ bytes, ...(model.hasAnyFormat ? { anyFormat: true as const } : {}) });
    }
    return outputs;
  }

  /**
   * Cancels a task and waits a short time for its end. Resolves with true if the service says that it did not begin the
   * task. Never rejects.
   */
  async function isWithdrawn({ ticket }: Task, call: TaskCall): Promise<boolean> {
    if (ticket.cancel === undefined || service.cancelMethod === undefined) return false;
    const controller = new AbortController();
    const { signal } = controller;
    const stopTimer = clock.after(timing.afterAbortMs, () => controller.abort());
    try {
      await client.cancel(ticket.cancel, service.cancelMethod, signal);
      const { state } = await ended({ ticket }, call, signal, () => undefined);
      return state.phase === 'cancelled' && state.effect === 'not_begun';
    } catch {
      // The call has already ended with its own error.
      return false;
    } finally {
      stopTimer();
    }
  }

  /**
   * If the signal aborts, cancels the task, unless another process continues with its ticket. Then rejects with the
   * signal's reason, or with `cancelled` if the service did not begin the task.
   */
  return async function run(call: TaskCall, context: ProviderContext): Promise<ProviderResult> {
    const { signal, onEvent } = context;
    const [index = 0] = call.request.indices;
    const task = await started(call, context);
    reportInvoiceId(context, task.ticket.id);
    try {
      const onRunning = () => onEvent({ type: 'progress', stage: 'generating', index });
      const { state, json } = await ended(task, call, signal, onRunning);
      const outputs = await outputsOf(doneOrThrow(state, call), json, call, signal);
      return { outputs, ...billOf(task.ticket, state) };
    } catch (thrown) {
      const isContinued = task.isStored && isInterruption(signal.reason);
      if (!signal.aborted || isContinued || !(await isWithdrawn(task, call))) throw thrown;
      throw new BridgeError('cancelled', 'the backend cancelled the task before it began', {
        effect: 'not_begun',
      });
    }
  };
}

/** Throws if a finished task does not have the requested number of images. */
function refuseCount(count: number, wanted: number): void {
  if (count === 0) throw unknownOutcome('no_image');
  if (count === wanted) return;
  const error = unusableImages('the backend did not return the requested images', 'wrong_count');
  throw error.with({ details: { returned_images: count } });
}

/** Returns the state of a task that has made its images. Throws the failure of any other task. */
function doneOrThrow(state: TaskState, { request }: TaskCall): Done {
  if (state.phase === 'done') return state;
  if (state.phase === 'failed') throw failureError(state.failure, undefined, request);
  if (state.phase === 'cancelled') {
    throw new BridgeError('upstream', 'the task was cancelled at the backend', {
      retryable: false,
      effect: state.effect,
    });
  }
  throw unknownOutcome('task_lost');
}

/** Returns the cost and the billed quantities, as far as the service reports them. */
function billOf({ charge }: TaskTicket, state: TaskState): Omit<ProviderResult, 'outputs'> {
  const { amount, ...billed } = { ...charge, ...(state.phase === 'done' ? state.charge : {}) };
  return {
    ...(amount === undefined ? {} : { cost: { amount: BigInt(amount) } }),
    ...(Object.keys(billed).length > 0 ? { billed } : {}),
  };
}
