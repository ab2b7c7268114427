import { MCP_REFUSALS, McpMessage } from '../../lib/contract/resources/mcp.ts';
import { operation } from '../operation.ts';

/** POST /mcp: the tools of the bridge for agents, where the settings turn them on. */
export const handler = operation<'mcp'>()({
  id: 'callMcp',
  summary: 'Send a message of the Model Context Protocol',
  protection: 'read',
  request: { body: McpMessage },
  reply: {
    status: 200,
    description:
      'The reply of the protocol (Streamable HTTP): a message, or a stream of them. Failures of the protocol have its own shape; a tool that fails says so in its result.',
    mediaTypes: ['application/json', 'text/event-stream'],
    also: [
      { status: 202, description: 'A notification was taken.' },
      MCP_REFUSALS.malformed,
      MCP_REFUSALS.unknown,
      MCP_REFUSALS.unacceptable,
    ],
  },
  errors: ['not_found'],
  handle: ({ event, context, body, services }) =>
    services.mcp.handle({ method: 'POST', headers: event.headers, body, context }),
});
