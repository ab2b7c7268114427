import * as v from 'valibot';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { effectOf } from '../../errors/call-effect.ts';
import type { Clock } from '../../platform/clock.ts';
import { unusableImages } from '../failed-calls.ts';
import type { ProviderContext, ProviderRequest } from '../provider-port.ts';
import { failedNodeId, nodeDetails } from './failed-node.ts';
import { createPromptWatch } from './prompt-watch.ts';
import { type HistoryEntry, StoredImage } from './replies.ts';
import type { ComfyServer } from './server.ts';
import { type SubmissionOutcome, toSubmissionOutcome } from './submission.ts';
import { withdraw } from './withdrawal.ts';
import type { Workflow } from './workflow.ts';

interface Deps {
  readonly server: ComfyServer;
  readonly clock: Clock;
  /** The longest image. */
  readonly maxImageBytes: number;
}

/** A workflow with all its values, to be run under this id. */
export interface Prompt {
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
