import { DashboardHeaders, DashboardViewPath } from '../../lib/contract/resources/dashboard.ts';
import { pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard/{view}: the same page. It reads from its address what to show. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboardView',
  summary: 'Open a view of the dashboard',
  protection: 'public',
  request: { path: DashboardViewPath, headers: DashboardHeaders },
  reply: {
    status: 200,
    description: 'The page, whatever the view.',
    mediaTypes: ['text/html'],
    headers: { etag: 'Names these bytes.' },
    also: [{ status: 304, description: 'The client has these bytes.' }],
  },
  errors: ['not_found'],
  handle: async ({ path, event, services }) =>
    pageReply(event.headers, await services.dashboard.view(path.view)),
});
