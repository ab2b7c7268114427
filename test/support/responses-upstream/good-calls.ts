import { type PlainCall, sendPlain } from '../upstream/plain-client.ts';
import type { ResponsesUpstream } from './responses-upstream.ts';

/** Returns a valid body. `tool` is merged into its only tool. */
export function goodBody(text: string, tool: Readonly<Record<string, unknown>> = {}) {
  return {
    model: 'gpt-5.5',
    instructions: 'Make one image.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
    tools: [{ type: 'image_generation', model: 'gpt-image-2', output_format: 'png', ...tool }],
    tool_choice: { type: 'image_generation' },
    stream: true,
    store: false,
  };
}

/** Returns valid headers. */
export function goodHeaders({ tokens, accountId }: ResponsesUpstream): Record<string, string> {
  return {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${tokens().access_token}`,
    'chatgpt-account-id': accountId,
    originator: 'image-bridge',
  };
}

/** Sends a valid call, except for `changes`. */
export function callWell(
  upstream: ResponsesUpstream,
  text: string,
  changes: Partial<PlainCall> = {},
) {
  const body = JSON.stringify(goodBody(text));
  return sendPlain({ url: upstream.url, headers: goodHeaders(upstream), body, ...changes });
}
