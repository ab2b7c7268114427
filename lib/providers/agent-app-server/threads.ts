import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { toPromptText } from '../backend/sent-images.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { MODEL_PROVIDER } from './agent-arguments.ts';
import type { AgentChild } from './agent-child.ts';

interface ThreadSettings {
  /** The working directory of the child. */
  readonly cwd: string;
  /** The setting `providers.agent_app_server.agent_model`. */
  readonly model: string;
}

export type Threads = ReturnType<typeof createThreads>;

/** A thread id, which is also a valid file name. */
export const THREAD_ID = /^[A-Za-z0-9-]{1,128}$/;

const Started = v.object({ thread: v.object({ id: v.pipe(v.string(), v.regex(THREAD_ID)) }) });

// The agent reports all thread errors with the same code, so only their texts tell the errors apart.
const NOT_FOUND = /no rollout found|thread not found|invalid session id|is archived/;
const IN_USE = /active writer/;

/** Returns true if the text of an error means that the agent did not find the thread. */
export function isNotFound(message: string): boolean {
  return NOT_FOUND.test(message);
}

/** Manages the agent's threads. Every method also rejects with `upstream` or `protocol` if the child fails. */
export function createThreads({ cwd, model }: ThreadSettings) {
  // The agent asks no user for approval and writes no files. The restrictions are also sent when a thread is resumed,
  // because the agent does not store the restrictions.
  const restrictions = { cwd, approvalPolicy: 'never', sandbox: 'read-only' };

  return {
    /**
     * Starts a thread and resolves with its id. The agent stores the thread until the thread is deleted, because an
     * ephemeral thread would stay in the agent's memory.
     */
    async start(child: AgentChild): Promise<string> {
      const reply = await child.request('thread/start', {
        ...restrictions,
        model,
        modelProvider: MODEL_PROVIDER,
        ephemeral: false,
        baseInstructions: INSTRUCTIONS,
        // Only raw events report the cause of a failed image.
        experimentalRawEvents: true,
      });
      if (!reply.ok) throw new BridgeError('upstream', 'the agent failed to start a thread');
      const parsed = v.safeParse(Started, reply.result);
      if (parsed.success) return parsed.output.thread.id;
      throw new BridgeError('protocol', 'the agent returned no thread id');
    },

    /**
     * Loads a thread of an earlier child. Throws `session_not_found` if the thread does not exist and `session_busy` if
     * another process uses the thread.
     */
    async resume(child: AgentChild, threadId: string): Promise<void> {
      const reply = await child.request('thread/resume', {
        ...restrictions,
        threadId,
        // Without this option, the reply would contain all images of the thread.
        excludeTurns: true,
      });
      if (reply.ok) return;
      if (isNotFound(reply.message)) throw threadNotFound();
      throw IN_USE.test(reply.message)
        ? new BridgeError('session_busy', 'another agent process uses the thread')
        : new BridgeError('upstream', 'the agent failed to resume the thread');
    },

    /**
     * Deletes a thread. Succeeds if the thread does not exist, because some versions of the agent do not store a thread
     * without turns.
     */
    async delete(child: AgentChild, threadId: string): Promise<void> {
      const reply = await child.request('thread/delete', { threadId });
      if (reply.ok || isNotFound(reply.message)) return;
      throw new BridgeError('upstream', 'the agent failed to delete the thread');
    },
  };
}

export function threadNotFound(): BridgeError {
  return new BridgeError(
    'session_not_found',
    'the agent did not find the thread; start a new session',
  );
}

/** Instructions that replace the agent's own instructions, which are meant for programming. */
const INSTRUCTIONS =
  'Make exactly one image: call the image generation tool exactly once, with the prompt that the user gives, word for word. Where the user attaches images, pass the paths of all of them in their order as referenced images. Where the user wants a change of an earlier image of this conversation, include the last images. Never call it a second time, even if it fails. Then say "done".';

/** Returns the input of one turn: the text, followed by the staged files of sources and references. */
export function toTurnInput(request: ProviderRequest, paths: readonly string[]): readonly object[] {
  return [
    { type: 'text', text: toText(request), text_elements: [] },
    // Without `detail`, some versions of the agent reduce the size of the image.
    ...paths.map((path) => ({ type: 'localImage', path, detail: 'original' })),
  ];
}

/** Returns the prompt. The tool accepts only a prompt, so the opaque background is requested in words. */
function toText(request: ProviderRequest): string {
  const text = toPromptText(request);
  return request.parameters.background === 'opaque' ? `${text}\n\nThe background is opaque.` : text;
}
