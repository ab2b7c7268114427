import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { toPromptText } from '../backend/sent-images.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { MODEL_PROVIDER } from './agent-arguments.ts';
import type { AgentChild } from './agent-child.ts';

interface ThreadSettings {
  /** The working directory of the child. */
  readonly cwd: string;
  /** `providers.agent_app_server.agent_model`. */
  readonly model: string;
}

export type Threads = ReturnType<typeof createThreads>;

/** An id that is a file name, too. */
export const THREAD_ID = /^[A-Za-z0-9-]{1,128}$/;

const Started = v.object({ thread: v.object({ id: v.pipe(v.string(), v.regex(THREAD_ID)) }) });

// All errors of threads have the same code (agent-app-server.md, 2).
const NOT_FOUND = /no rollout found|thread not found|invalid session id|is archived/;
const IN_USE = /active writer/;

/** Whether the agent does not have the thread, by the text of its error. */
export function isNotFound(message: string): boolean {
  return NOT_FOUND.test(message);
}

/** Threads of the agent (agent-app-server.md, 2). All that is asked rejects with `upstream`, `protocol` when the child fails. */
export function createThreads({ cwd, model }: ThreadSettings) {
  // Nothing is asked of a person, and nothing is written. The agent does not restore it when it resumes a thread.
  const restrictions = { cwd, approvalPolicy: 'never', sandbox: 'read-only' };

  return {
    /**
     * Starts a thread that is kept until it is deleted: an ephemeral one stays in the memory of the agent. Resolves with
     * its id.
     */
    async start(child: AgentChild): Promise<string> {
      const reply = await child.request('thread/start', {
        ...restrictions,
        model,
        modelProvider: MODEL_PROVIDER,
        ephemeral: false,
        baseInstructions: INSTRUCTIONS,
        // The cause of a failed image is in no other notification.
        experimentalRawEvents: true,
      });
      if (!reply.ok) throw new BridgeError('upstream', 'the agent refuses to start a thread');
      const parsed = v.safeParse(Started, reply.result);
      if (parsed.success) return parsed.output.thread.id;
      throw new BridgeError('protocol', 'the agent gave a thread no id');
    },

    /** Loads a thread of an earlier child. Throws `session_not_found`, `session_busy`. */
    async resume(child: AgentChild, threadId: string): Promise<void> {
      const reply = await child.request('thread/resume', {
        ...restrictions,
        threadId,
        // All of its images otherwise.
        excludeTurns: true,
      });
      if (reply.ok) return;
      if (isNotFound(reply.message)) throw threadNotFound();
      throw IN_USE.test(reply.message)
        ? new BridgeError('session_busy', 'another process of the agent uses the thread')
        : new BridgeError('upstream', 'the agent refuses to resume the thread');
    },

    /** Also where there is no such thread; one that has had no turn is unknown to some versions. */
    async delete(child: AgentChild, threadId: string): Promise<void> {
      const reply = await child.request('thread/delete', { threadId });
      if (reply.ok || isNotFound(reply.message)) return;
      throw new BridgeError('upstream', 'the agent refuses to delete the thread');
    },
  };
}

export function threadNotFound(): BridgeError {
  return new BridgeError('session_not_found', 'the agent does not have the thread');
}

/** Replaces the agent's own instructions, which are for a programmer. */
const INSTRUCTIONS =
  'Make exactly one image: call the image generation tool exactly once, with the prompt that the user gives, word for word. Where the user attaches images, pass the paths of all of them in their order as referenced images. Where the user wants a change of an earlier image of this conversation, include the last images. Never call it a second time, even if it fails. Then say "done".';

/** The input of one turn: the text, and the staged files of sources and references in that order. */
export function toTurnInput(request: ProviderRequest, paths: readonly string[]): readonly object[] {
  return [
    { type: 'text', text: toText(request), text_elements: [] },
    // Without `detail` some versions shrink the image.
    ...paths.map((path) => ({ type: 'localImage', path, detail: 'original' })),
  ];
}

/** The tool takes nothing but a prompt, so that the one parameter that can differ is in words here. */
function toText(request: ProviderRequest): string {
  const text = toPromptText(request);
  return request.parameters.background === 'opaque' ? `${text}\n\nThe background is opaque.` : text;
}
