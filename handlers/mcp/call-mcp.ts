import { MCP_REFUSALS, McpMessage } from '../../lib/contract/resources/mcp.ts';
import { operation } from '../operation.ts';

/** POST /mcp: serves the tools of the bridge for agents, if the settings enable them. */
export const handler = operation<'mcp'>()({
  id: 'callMcp',
  summary: 'Send a message of the Model Context Protocol',
  protection: 'read',
  request: { body: McpMessage },
  reply: {
    status: 200,
    description:
      'The reply of the protocol (Streamable HTTP): a message or a stream of messages. Errors of the protocol have the form defined by the protocol. A failed tool reports the failure in its result.',
    mediaTypes: ['application/json', 'text/event-stream'],
    also: [
      { status: 202, description: 'A notification was accepted.' },
      MCP_REFUSALS.malformed,
      MCP_REFUSALS.unknown,
      MCP_REFUSALS.unacceptable,
    ],
  },
  errors: ['not_found'],
  handle: ({ event, context, body, services }) =>
    services.mcp.handle({ method: 'POST', headers: event.headers, body, context }),
});
