import { DashboardHeaders } from '../../lib/contract/resources/dashboard.ts';
import { pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard: the page, without any content. What it shows it asks the API for. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboard',
  summary: 'Open the dashboard',
  protection: 'public',
  request: { headers: DashboardHeaders },
  reply: {
    status: 200,
    description: 'The page. It holds no prompts, images or tokens.',
    mediaTypes: ['text/html'],
    headers: { etag: 'Names these bytes.' },
    also: [{ status: 304, description: 'The client has these bytes.' }],
  },
  errors: ['not_found'],
  handle: async ({ event, services }) => pageReply(event.headers, await services.dashboard.page()),
});
