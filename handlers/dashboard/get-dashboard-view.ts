import { DashboardHeaders, DashboardViewPath } from '../../lib/contract/resources/dashboard.ts';
import { PAGE_FILE, pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard/{view}: returns the same page for every view. The page reads the view from its URL. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboardView',
  summary: 'Open a view of the dashboard',
  protection: 'public',
  request: { path: DashboardViewPath, headers: DashboardHeaders },
  reply: {
    ...PAGE_FILE,
    description: 'The page. All views have the same page.',
    mediaTypes: ['text/html'],
  },
  errors: ['not_found'],
  handle: async ({ path, event, services }) =>
    pageReply(event.headers, await services.dashboard.view(path.view)),
});
