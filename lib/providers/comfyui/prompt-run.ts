import * as v from 'valibot';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { effectOf } from '../../errors/call-effect.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { FAILURES, type FailureRow, REQUEST_FAULTS, toError } from '../backend/failures.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import { readErrorBody } from '../http/read-error-body.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { ProviderContext, ProviderRequest } from '../provider-port.ts';
import {
  type ComfyServer,
  type HistoryEntry,
  StoredImage,
  Submission,
  SubmissionError,
} from './server.ts';
import type { Workflow } from './workflow.ts';

interface Deps {
  readonly server: ComfyServer;
  readonly clock: Clock;
  /** The longest image. */
  readonly maxImageBytes: number;
}

/** A workflow with all its values, to be run under this id. */
interface Prompt {
  readonly id: string;
  readonly workflow: Workflow;
  /** The node whose first image counts. */
  readonly output: string;
}

/** Runs one prompt on the server: submits it, waits for its end, fetches its image. */
export function createPromptRun({ server, clock, maxImageBytes }: Deps) {
  const watch = createPromptWatch({ server, clock });

  async function submit(
    { id, workflow }: Prompt,
    request: ProviderRequest,
    signal: AbortSignal,
    onSending: () => void,
  ): Promise<SubmissionOutcome> {
    try {
      const response = await server.submit(workflow, id, signal, onSending);
      return await toSubmissionOutcome(response, { request, workflow }, clock);
    } catch (thrown) {
      const isLost = thrown instanceof BridgeError && effectOf(thrown) === 'unknown';
      if (!isLost) throw thrown;
      return { kind: 'unclear', error: thrown };
    }
  }

  /** Resolves with the id of a prompt that the server has certainly taken. */
  async function taken(prompt: Prompt, outcome: SubmissionOutcome, signal: AbortSignal) {
    if (outcome.kind === 'accepted') return outcome.promptId;
    if (outcome.kind === 'refused' || !(await watch.isKnown(prompt.id, signal)))
      throw outcome.error;
    return prompt.id;
  }

  /** Resolves with the bytes of an image that was made. Throws `protocol` if the server does not give it. */
  async function fetched(image: StoredImage, signal: AbortSignal): Promise<Buffer> {
    const view = () => server.view(image, maxImageBytes, signal);
    let bytes: Buffer | undefined;
    try {
      bytes = await watch.repeated(view, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (toBridgeError(thrown).effect === 'made') throw thrown;
      throw unusableImages(UNFETCHED, 'server_unreachable', thrown);
    }
    if (bytes && bytes.length > 0) return bytes;
    throw unusableImages('the image of the workflow is empty or too large', 'unusable_image');
  }

  return {
    /** Resolves with the bytes of the image. When the signal aborts, the prompt is withdrawn first. */
    async run(prompt: Prompt, request: ProviderRequest, context: ProviderContext): Promise<Buffer> {
      const { signal, onEvent } = context;
      const [index = 0] = request.indices;
      let { id } = prompt;
      let isSent = false;
      try {
        const outcome = await submit(prompt, request, signal, () => {
          isSent = true;
          onEvent({ type: 'progress', stage: 'dispatched' });
        });
        id = await taken(prompt, outcome, signal);
        const onRunning = () => onEvent({ type: 'progress', stage: 'generating', index });
        const image = imageOf(await watch.ended(id, signal, onRunning), prompt);
        return await fetched(image, signal);
      } catch (thrown) {
        if (signal.aborted && isSent) await withdraw(id, { server, clock });
        throw thrown;
      }
    },
  };
}

const UNFETCHED = 'the image of the workflow cannot be fetched';

/** The first image of the output node. Throws `upstream` for a prompt that failed or made none there. */
function imageOf({ outputs, status }: HistoryEntry, { output, workflow }: Prompt): StoredImage {
  const stored = v.safeParse(StoredImage, outputs[output]?.images?.[0]);
  if (stored.success) return stored.output;
  if (status?.status_str === 'error') {
    throw new BridgeError('upstream', 'the workflow failed', {
      retryable: false,
      details: nodeDetails(failedNodeId(status.messages), workflow),
    });
  }
  throw new BridgeError('upstream', 'the workflow made no image at its output', {
    retryable: false,
    details: { reason: 'no_image' },
  });
}

/** `accepted` under an id, which older servers choose themselves; `unclear`: the server may have taken the workflow. */
type SubmissionOutcome =
  | { readonly kind: 'accepted'; readonly promptId: string }
  | { readonly kind: 'refused'; readonly error: BridgeError }
  | { readonly kind: 'unclear'; readonly error: BridgeError };

/** What the reply to a submission says. */
async function toSubmissionOutcome(
  { status, header, body }: HttpResponse,
  { request, workflow }: { readonly request: ProviderRequest; readonly workflow: Workflow },
  clock: Clock,
): Promise<SubmissionOutcome> {
  const json = await readErrorBody(body, clock);
  const submission = v.safeParse(Submission, json);
  if (status === 200 && submission.success) {
    return { kind: 'accepted', promptId: submission.output.prompt_id };
  }
  const reported = v.safeParse(SubmissionError, json);
  const row = rowOf(status);
  const error = toError(
    row,
    {
      code: (reported.success && reported.output.error.type) || undefined,
      moderationStage: undefined,
      moderationCategories: [],
      retryAfterMs: retryAfterMs(header('retry-after'), clock.nowMs()),
      resetsInMs: undefined,
    },
    request,
  );
  if (row === FAILURES.unknownOutcome) return { kind: 'unclear', error };
  const [node] = reported.success ? Object.keys(reported.output.node_errors ?? {}) : [];
  return { kind: 'refused', error: error.with({ details: nodeDetails(node, workflow) }) };
}

function rowOf(status: number): FailureRow {
  if (status === 403) return FAILURES.permission;
  if (status === 429) return FAILURES.rate;
  if (status === 503) return FAILURES.transient;
  if (REQUEST_FAULTS.includes(status)) return FAILURES.refused;
  const isRefusal = status >= 300 && status < 500 && status !== 408;
  return isRefusal ? FAILURES.other : FAILURES.unknownOutcome;
}

/** Where a prompt is: `absent` for one that the server does not know, its entry in the history for one that has ended. */
type PromptState = HistoryEntry | 'running' | 'pending' | 'absent';

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1000;
/** So many failures in a row, and the server is given up. */
const MAX_FAILURES = 5;

/** Follows a prompt that the server may have taken: from here on, nothing is repeated that could run it twice. */
function createPromptWatch({ server, clock }: Pick<Deps, 'server' | 'clock'>) {
  async function look(id: string, signal: AbortSignal): Promise<PromptState> {
    const ended = await server.history(id, signal);
    if (ended) return ended;
    const queue = await server.queue(signal);
    if (queue?.running.includes(id)) return 'running';
    // A queue that is too long to be read is one to wait in.
    if (!queue || queue.pending.includes(id)) return 'pending';
    // It may have ended between the two requests.
    return (await server.history(id, signal)) ?? 'absent';
  }

  /**
   * Repeats a request that changes nothing. Throws `protocol` of unknown outcome after some failures in a row, and at once a
   * failure that says that the image was made.
   */
  async function repeated<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await read();
      } catch (thrown) {
        signal.throwIfAborted();
        if (toBridgeError(thrown).effect === 'made') throw thrown;
        if (failures === MAX_FAILURES) throw unknownOutcome('server_unreachable');
      }
      await sleep(clock, LONGEST_POLL_MS, signal);
    }
  }

  return {
    repeated,

    async isKnown(id: string, signal: AbortSignal): Promise<boolean> {
      return (await repeated(() => look(id, signal), signal)) !== 'absent';
    },

    /** Resolves when the prompt has ended. Throws `protocol` of unknown outcome for one that the server has lost. */
    async ended(id: string, signal: AbortSignal, onRunning: () => void): Promise<HistoryEntry> {
      let isRunning = false;
      for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.5, LONGEST_POLL_MS)) {
        await sleep(clock, waitMs, signal);
        const found = await repeated(() => look(id, signal), signal);
        if (found === 'absent') throw unknownOutcome('prompt_lost');
        if (typeof found === 'object') return found;
        if (found === 'running' && !isRunning) {
          isRunning = true;
          onRunning();
        }
      }
    },
  };
}

const WITHDRAWAL_POLL_MS = 100;
const WITHDRAWAL_TIMEOUT_MS = 5000;

/** Takes the prompt out of the queue or interrupts it, and waits until the server has neither, at most five seconds. Never rejects. */
async function withdraw(
  id: string,
  { server, clock }: Pick<Deps, 'server' | 'clock'>,
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopTimer = clock.after(WITHDRAWAL_TIMEOUT_MS, () => controller.abort());
  try {
    await server.remove(id, signal);
    for (let isInterrupted = false; ; ) {
      const queue = await server.queue(signal);
      const isRunning = queue?.running.includes(id) === true;
      if (!isRunning && !queue?.pending.includes(id)) return;
      // Only while it runs: an older server would stop the prompt of somebody else.
      if (isRunning && !isInterrupted) {
        isInterrupted = true;
        await server.interrupt(id, signal);
      }
      await sleep(clock, WITHDRAWAL_POLL_MS, signal);
    }
  } catch {
    // The call has ended and says so itself.
  } finally {
    stopTimer();
  }
}

const SHOWABLE_ID = /^[\w.-]{1,64}$/;
const SHOWABLE_TYPE = /^[\w .:()+|,&/-]{1,64}$/;

/** The messages of an ended prompt: each a list of its kind and its data (ComfyUI's `execution.py`). */
const Messages = v.array(v.unknown());
const NodeMessage = v.looseTuple([v.string(), v.object({ node_id: v.string() })]);

/**
 * Returns the id and the type of a failed node, as the workflow file of the operator has them. Returns nothing for a node that
 * is not in the file: the server's own texts are not passed on.
 */
function nodeDetails(
  id: string | undefined,
  workflow: Workflow,
): { readonly node_id?: string; readonly node_type?: string } {
  // A node that another one has created while it ran has an id such as `12.0.3` or `12:3`.
  const own = [id, id?.split(/[.:]/)[0]].find(
    (it) => it !== undefined && Object.hasOwn(workflow, it),
  );
  if (own === undefined || !SHOWABLE_ID.test(own)) return {};
  const type = workflow[own]?.class_type ?? '';
  return { node_id: own, ...(SHOWABLE_TYPE.test(type) ? { node_type: type } : {}) };
}

/** Returns the id of the node in the messages of a prompt that failed. */
function failedNodeId(messages: unknown): string | undefined {
  const list = v.safeParse(Messages, messages);
  const last = list.success ? list.output.findLast((it) => v.is(NodeMessage, it)) : undefined;
  const parsed = v.safeParse(NodeMessage, last);
  return parsed.success ? parsed.output[1].node_id : undefined;
}
