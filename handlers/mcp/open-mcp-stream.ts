import { MCP_REFUSALS } from '../../lib/contract/resources/mcp.ts';
import { operation } from '../operation.ts';

/** GET /mcp: streams the messages that the bridge sends to a session on its own. */
export const handler = operation<'mcp'>()({
  id: 'openMcpStream',
  summary: 'Listen to a session of the Model Context Protocol',
  protection: 'read',
  request: { ignoresQuery: true },
  reply: {
    status: 200,
    description: 'A stream of messages. Clients of the revision 2026-07-28 do not use it.',
    mediaTypes: ['text/event-stream'],
    also: [
      MCP_REFUSALS.malformed,
      MCP_REFUSALS.unknown,
      MCP_REFUSALS.unacceptable,
      MCP_REFUSALS.taken,
    ],
  },
  errors: ['not_found'],
  handle: ({ event, context, services }) =>
    services.mcp.handle({ method: 'GET', headers: event.headers, context }),
});
