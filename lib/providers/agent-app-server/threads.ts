import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { MODEL_PROVIDER } from './agent-arguments.ts';
import type { AgentChild } from './agent-child.ts';
import { INSTRUCTIONS } from './turn-input.ts';

interface ThreadSettings {
  /** The working directory of the child. */
  readonly cwd: string;
  /** `providers.agent_app_server.agent_model`. */
  readonly model: string;
}

const Started = v.object({ thread: v.object({ id: v.string() }) });

/**
 * Starts a thread that is kept until it is deleted: an ephemeral one stays in the memory of the agent. Throws `upstream`,
 * `protocol`.
 */
export async function startThread(
  child: AgentChild,
  { cwd, model }: ThreadSettings,
): Promise<string> {
  const reply = await child.request('thread/start', {
    model,
    modelProvider: MODEL_PROVIDER,
    cwd,
    ...RESTRICTIONS,
    ephemeral: false,
    baseInstructions: INSTRUCTIONS,
    // The cause of a failed image is in no other notification.
    experimentalRawEvents: true,
  });
  if (!reply.ok) throw new BridgeError('upstream', 'the agent refuses to start a thread');
  const parsed = v.safeParse(Started, reply.result);
  if (parsed.success) return parsed.output.thread.id;
  throw new BridgeError('protocol', 'the agent gave a thread no id');
}

/** Nothing is asked of a person, and nothing is written. Not restored when a thread is resumed. */
const RESTRICTIONS = { approvalPolicy: 'never', sandbox: 'read-only' } as const;
