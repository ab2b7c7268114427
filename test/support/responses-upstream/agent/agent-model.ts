import type { Clock } from '../../../../lib/platform/clock.ts';
import type { Ids } from '../../../../lib/platform/ids.ts';
import type { ReceivedCall } from '../../upstream/run-call.ts';
import { failureIn, sendFailure } from './agent-failures.ts';
import type { AgentTurn } from './agent-request.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly silenceMs: number;
}

const USAGE = {
  input_tokens: 50,
  input_tokens_details: null,
  output_tokens: 10,
  output_tokens_details: null,
  total_tokens: 60,
};

/**
 * Replies to a model call as an obedient model. It calls the image tool once a turn, with the files of the message, or
 * otherwise with the newest image of the thread.
 */
export async function sendAgentReply(
  call: ReceivedCall,
  turn: AgentTurn,
  { clock, ids, silenceMs }: Deps,
): Promise<void> {
  const failure = failureIn(turn.prompt, 'model');
  if (await sendFailure(call, failure, { clock, silenceMs })) return;
  const { response } = call;
  const id = `resp_${ids.newOpaqueId()}`;
  const onlyTalks = turn.hasToolOutput || failure === 'no-image';
  const item = onlyTalks ? message(ids) : imageCall(turn, ids);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, usage: USAGE } },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function imageCall(
  { prompt, imagePaths, hasEarlierImage }: AgentTurn,
  ids: Pick<Ids, 'newOpaqueId'>,
): object {
  const references =
    imagePaths.length > 0
      ? { referenced_image_paths: imagePaths }
      : hasEarlierImage && { num_last_images_to_include: 1 };
  return {
    type: 'function_call',
    id: `fc_${ids.newOpaqueId()}`,
    call_id: `call_${ids.newOpaqueId()}`,
    namespace: 'image_gen',
    name: 'imagegen',
    arguments: JSON.stringify({ prompt, ...references }),
  };
}

function message(ids: Pick<Ids, 'newOpaqueId'>): object {
  return {
    type: 'message',
    id: `msg_${ids.newOpaqueId()}`,
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Done.' }],
  };
}
