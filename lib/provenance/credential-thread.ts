import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { CredentialFailure } from '../metrics/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import type {
  CredentialTask,
  TaskImage,
  TaskResults,
  ThreadData,
  ThreadMessage,
} from './credential-tasks.ts';

/** A reason why a task has no result. */
export type ThreadFailure = Extract<
  CredentialFailure,
  'busy' | 'timed_out' | 'trapped' | 'memory' | 'closed'
>;

type TaskKind = keyof TaskResults;
type TaskOf<Kind extends TaskKind> = Extract<CredentialTask, { readonly kind: Kind }>;

export type TaskOutcome<Kind extends TaskKind> =
  | { readonly ok: true; readonly result: TaskResults[Kind] }
  | { readonly ok: false; readonly failure: ThreadFailure };

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  /** Maximum time of one task, without the time in the queue. */
  readonly timeoutMs: number;
  /** Returns the certificates that make a signer trusted, or undefined if no certificates are configured. */
  readonly trustAnchors: () => string | undefined;
  /** Path of the program of the thread. By default, the program that loads the library. */
  readonly program?: string;
}

const MAX_WAITING = 16;
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
/** Maximum time in which the library is loaded. A busy machine needs a second. */
const LOAD_TIMEOUT_MS = 30_000;
/** Limit of the JavaScript heap. The memory of the library is not part of the heap. */
const HEAP_MB = 128;

/**
 * Creates the thread that validates and signs images. The thread starts with the first task. After a task that
 * timed out, trapped or used too much memory, the next task starts a new thread.
 */
export function createCredentialThread({ clock, timeoutMs, trustAnchors, program }: Deps) {
  const turns = createSemaphore(1);
  const closing = new AbortController();
  let thread: { readonly worker: Worker; readonly trustAnchors: string | undefined } | undefined;

  async function loadedWorker(): Promise<Worker | undefined> {
    if (closing.signal.aborted) return undefined;
    const anchors = trustAnchors();
    if (thread !== undefined && thread.trustAnchors === anchors) return thread.worker;
    await replace();
    if (closing.signal.aborted) return undefined;
    const worker = startWorker(program, { trustAnchors: anchors });
    thread = { worker, trustAnchors: anchors };
    worker.once('exit', () => {
      if (thread?.worker === worker) thread = undefined;
    });
    const loaded = await nextMessage(worker, clock, LOAD_TIMEOUT_MS);
    if (loaded.kind === 'loaded') return worker;
    await replace();
    return undefined;
  }

  /** Ends the thread. The next task starts another. */
  async function replace(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.worker.terminate();
  }

  async function perform<Kind extends TaskKind>(task: TaskOf<Kind>): Promise<TaskOutcome<Kind>> {
    const worker = await loadedWorker();
    if (worker === undefined) return { ok: false, failure: failureOf('trapped') };
    const copied = copyOf(task);
    worker.postMessage(copied.task, copied.buffers);
    const message = await nextMessage(worker, clock, timeoutMs);
    const failure = faultOf(message);
    if (failure !== undefined) await replace();
    // The cast is safe because the thread answers a task with a result of its kind.
    return message.kind === 'ended' && failure !== 'memory'
      ? { ok: true, result: message.result as TaskResults[Kind] }
      : { ok: false, failure: failureOf(failure ?? 'trapped') };
  }

  /** Performs a task. An error, such as a thread that the system refuses to start, must not lose the image of the task. */
  async function performOrFail<Kind extends TaskKind>(
    task: TaskOf<Kind>,
  ): Promise<TaskOutcome<Kind>> {
    try {
      return await perform(task);
    } catch {
      await replace();
      return { ok: false, failure: failureOf('trapped') };
    }
  }

  function failureOf(failure: ThreadFailure): ThreadFailure {
    return closing.signal.aborted ? 'closed' : failure;
  }

  return {
    /**
     * Runs a task. Resolves with the reason if the task has no result. Rejects only with the reason of the signal, immediately on
     * abort; a running task then continues and its result is ignored.
     */
    async run<Kind extends TaskKind>(
      task: TaskOf<Kind>,
      signal: AbortSignal,
    ): Promise<TaskOutcome<Kind>> {
      if (closing.signal.aborted) return { ok: false, failure: 'closed' };
      if (turns.counts().waiting >= MAX_WAITING) return { ok: false, failure: 'busy' };
      return turns.run(() => performOrFail(task), signal);
    },

    /** Ends the thread. A running task fails. */
    async close(): Promise<void> {
      closing.abort();
      await replace();
    },
  };
}

interface TimedOut {
  readonly kind: 'timed_out';
}

/** Resolves with the next message of a thread, or with the reason why no message arrives. */
function nextMessage(
  worker: Worker,
  clock: Pick<Clock, 'after'>,
  limitMs: number,
): Promise<ThreadMessage | TimedOut> {
  return new Promise((resolve) => {
    const end = (message: ThreadMessage | TimedOut) => {
      cancel();
      worker.unref();
      worker.off('message', end);
      worker.off('exit', onExit);
      resolve(message);
    };
    const onExit = () => end({ kind: 'trapped' });
    // The process stays alive during a task, and only then.
    worker.ref();
    const cancel = clock.after(limitMs, () => end({ kind: 'timed_out' }));
    worker.on('message', end);
    worker.on('exit', onExit);
  });
}

/**
 * Copies the images of a task into buffers that can be transferred. Sending a part of a buffer would copy the whole buffer, which
 * may be a request with many images.
 */
function copyOf(task: CredentialTask) {
  const buffers: ArrayBuffer[] = [];
  const copy = ({ bytes, format }: TaskImage) => {
    const copied = new Uint8Array(bytes);
    buffers.push(copied.buffer);
    return { bytes: copied, format };
  };
  const image = copy(task.image);
  if (task.kind === 'validate') return { task: { ...task, image }, buffers };
  const ingredients = task.ingredients.map(({ json, image: original }) => ({
    json,
    image: original && copy(original),
  }));
  return { task: { ...task, image, ingredients }, buffers };
}

function faultOf(message: ThreadMessage | TimedOut) {
  if (message.kind === 'ended') {
    return message.memoryBytes > MAX_MEMORY_BYTES ? 'memory' : undefined;
  }
  return message.kind === 'timed_out' ? 'timed_out' : 'trapped';
}

function startWorker(
  program = createRequire(import.meta.url).resolve('#credential-worker'),
  data: ThreadData,
): Worker {
  const worker = new Worker(program, {
    name: 'credentials',
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    // The library writes about its failures to these streams, perhaps with text of the image. Both are discarded.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  // The exit that follows an error is handled as the end of a task.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}
