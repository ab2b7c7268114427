import * as v from 'valibot';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { effectOf } from '../../errors/call-effect.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { FAILURES, type FailureRow, REQUEST_FAULTS, toError } from '../backend/failures.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import { readErrorBody } from '../http/model-call.ts';
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
  /** Maximum size of an image. */
  readonly maxImageBytes: number;
}

/** A workflow with all its values, which the server runs under the id `id`. */
interface Prompt {
  readonly id: string;
  readonly workflow: Workflow;
  /** The node whose first image is the result. */
  readonly output: string;
}

/** Runs prompts on the server: submits a prompt, waits for its end and fetches its image. */
export function createPromptRun({ server, clock, maxImageBytes }: Deps) {
  const watch = createPromptWatch({ server, clock });

  /** Submits a prompt. Resolves with its id once the server has certainly accepted the prompt. */
  async function submit(
    { id, workflow }: Prompt,
    request: ProviderRequest,
    signal: AbortSignal,
    onSending: () => void,
  ): Promise<string> {
    try {
      const response = await server.submit(workflow, id, signal, onSending);
      return await acceptedId(response, request, workflow, clock);
    } catch (thrown) {
      const isUnclear = thrown instanceof BridgeError && effectOf(thrown) === 'unknown';
      if (isUnclear && (await watch.isKnown(id, signal))) return id;
      throw thrown;
    }
  }

  /** Resolves with the bytes of a finished image. Throws `protocol` if the server does not return the image. */
  async function fetched(image: StoredImage, signal: AbortSignal): Promise<Buffer> {
    const view = () => server.view(image, maxImageBytes, signal);
    let bytes: Buffer | undefined;
    try {
      bytes = await watch.repeated(view, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (toBridgeError(thrown).effect === 'made') throw thrown;
      const message = 'the image of the workflow cannot be fetched';
      throw unusableImages(message, 'server_unreachable', thrown);
    }
    if (bytes && bytes.length > 0) return bytes;
    throw unusableImages('the image of the workflow is empty or too large', 'unusable_image');
  }

  return {
    /**
     * Resolves with the bytes of the image. If the signal aborts, removes the prompt from the server and then rejects.
     */
    async run(prompt: Prompt, request: ProviderRequest, context: ProviderContext): Promise<Buffer> {
      const { signal, onEvent } = context;
      const [index = 0] = request.indices;
      let { id } = prompt;
      let isSent = false;
      try {
        id = await submit(prompt, request, signal, () => {
          isSent = true;
          onEvent({ type: 'progress', stage: 'dispatched' });
        });
        const onRunning = () => onEvent({ type: 'progress', stage: 'generating', index });
        const image = imageOf(await watch.ended(id, signal, onRunning), prompt);
        return await fetched(image, signal);
      } catch (thrown) {
        if (signal.aborted && isSent) await withdraw(id, server, clock);
        throw thrown;
      }
    },
  };
}

/** Returns the first image of the output node. Throws `upstream` if the prompt failed or made no image at that node. */
function imageOf({ outputs, status }: HistoryEntry, { output, workflow }: Prompt): StoredImage {
  const stored = v.safeParse(StoredImage, outputs[output]?.images?.[0]);
  if (stored.success) return stored.output;
  if (status?.status_str === 'error') {
    throw new BridgeError('upstream', 'the workflow failed', {
      retryable: false,
      details: nodeDetails(failedNodeId(status.messages), workflow),
    });
  }
  throw new BridgeError('upstream', 'the workflow made no image at its output node', {
    retryable: false,
    details: { reason: 'no_image' },
  });
}

/**
 * Resolves with the id of an accepted prompt, which older servers choose themselves. Throws the refusal, or an error with the
 * effect `unknown` if the server may have accepted the workflow.
 */
async function acceptedId(
  { status, header, body }: HttpResponse,
  request: ProviderRequest,
  workflow: Workflow,
  clock: Clock,
): Promise<string> {
  const json = await readErrorBody(body, clock);
  const submission = v.safeParse(Submission, json);
  if (status === 200 && submission.success) return submission.output.prompt_id;
  const reported = v.safeParse(SubmissionError, json);
  const code = (reported.success && reported.output.error.type) || undefined;
  const retryAfter = retryAfterMs(header('retry-after'), clock.nowMs());
  const error = toError(rowOf(status), { code, retryAfterMs: retryAfter }, request);
  const [node] = reported.success ? Object.keys(reported.output.node_errors ?? {}) : [];
  throw error.with({ details: nodeDetails(node, workflow) });
}

function rowOf(status: number): FailureRow {
  if (status === 403) return FAILURES.permission;
  if (status === 429) return FAILURES.rate;
  if (status === 503) return FAILURES.transient;
  if (REQUEST_FAULTS.includes(status)) return FAILURES.refused;
  const isRefusal = status >= 300 && status < 500 && status !== 408;
  return isRefusal ? FAILURES.other : FAILURES.unknownOutcome;
}

/** The state of a prompt: its history entry if it has ended, `absent` if the server does not know it. */
type PromptState = HistoryEntry | 'running' | 'pending' | 'absent';

const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 1000;
/** Number of consecutive failures after which the server counts as unreachable. */
const MAX_FAILURES = 5;

/** Follows a prompt that the server may have accepted. No request is repeated that could run the prompt twice. */
function createPromptWatch({ server, clock }: Pick<Deps, 'server' | 'clock'>) {
  async function look(id: string, signal: AbortSignal): Promise<PromptState> {
    const ended = await server.history(id, signal);
    if (ended) return ended;
    const queue = await server.queue(signal);
    if (queue?.running.includes(id)) return 'running';
    // A queue that is too large to be read may contain the prompt.
    if (!queue || queue.pending.includes(id)) return 'pending';
    // The prompt may have ended between the two requests.
    return (await server.history(id, signal)) ?? 'absent';
  }

  /**
   * Sends a request that has no effect, and repeats the request after each failure. Throws `protocol` with the effect
   * `unknown` after `MAX_FAILURES` failures. Throws an error with the effect `made` immediately.
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
      await sleep(clock, MAX_POLL_MS, signal);
    }
  }

  return {
    repeated,

    async isKnown(id: string, signal: AbortSignal): Promise<boolean> {
      return (await repeated(() => look(id, signal), signal)) !== 'absent';
    },

    /**
     * Resolves with the history entry when the prompt has ended. Throws `protocol` with the effect `unknown` if the server has lost
     * the prompt.
     */
    async ended(id: string, signal: AbortSignal, onRunning: () => void): Promise<HistoryEntry> {
      let isRunning = false;
      for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.5, MAX_POLL_MS)) {
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

/**
 * Removes the prompt from the queue or interrupts the prompt, and waits at most five seconds until the prompt has
 * disappeared. Never rejects.
 */
async function withdraw(id: string, server: ComfyServer, clock: Clock): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopTimer = clock.after(WITHDRAWAL_TIMEOUT_MS, () => controller.abort());
  try {
    await server.remove(id, signal);
    for (let isInterrupted = false; ; ) {
      const queue = await server.queue(signal);
      const isRunning = queue?.running.includes(id) === true;
      if (!isRunning && !queue?.pending.includes(id)) return;
      // An older server interrupts whichever prompt is running, even a prompt of another client.
      if (isRunning && !isInterrupted) {
        isInterrupted = true;
        await server.interrupt(id, signal);
      }
      await sleep(clock, WITHDRAWAL_POLL_MS, signal);
    }
  } catch {
    // The call has already ended with its own error.
  } finally {
    stopTimer();
  }
}

const SHOWABLE_ID = /^[\w.-]{1,64}$/;
const SHOWABLE_TYPE = /^[\w .:()+|,&/-]{1,64}$/;

/** The messages of an ended prompt. Each message is a list of its kind and its data (ComfyUI's `execution.py`). */
const Messages = v.array(v.unknown());
const NodeMessage = v.looseTuple([v.string(), v.object({ node_id: v.string() })]);

/**
 * Returns the id and type of a failed node, as written in the operator's workflow file. Returns an empty object for any
 * other node, because texts written by the server are not sent to the client.
 */
function nodeDetails(
  id: string | undefined,
  workflow: Workflow,
): { readonly node_id?: string; readonly node_type?: string } {
  // A node that was created by another node at run time has an id such as `12.0.3` or `12:3`.
  const own = [id, id?.split(/[.:]/)[0]].find(
    (name) => name !== undefined && Object.hasOwn(workflow, name),
  );
  if (own === undefined || !SHOWABLE_ID.test(own)) return {};
  const type = workflow[own]?.class_type ?? '';
  return { node_id: own, ...(SHOWABLE_TYPE.test(type) ? { node_type: type } : {}) };
}

/** Returns the id of the node that failed, from the messages of a failed prompt, or undefined if the messages name no node. */
function failedNodeId(messages: unknown): string | undefined {
  const list = v.safeParse(Messages, messages);
  const last = list.success
    ? list.output.findLast((message) => v.is(NodeMessage, message))
    : undefined;
  const parsed = v.safeParse(NodeMessage, last);
  return parsed.success ? parsed.output[1].node_id : undefined;
}
