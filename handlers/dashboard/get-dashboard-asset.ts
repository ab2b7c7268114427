import {
  ASSET_MEDIA_TYPES,
  DashboardAssetPath,
  DashboardHeaders,
} from '../../lib/contract/resources/dashboard.ts';
import { PAGE_FILE, pageReply } from '../../lib/http/reply/page-reply.ts';
import { operation } from '../operation.ts';

/** GET /dashboard/assets/{name}: returns a file of the page. The name of a file changes with its content. */
export const handler = operation<'dashboard'>()({
  id: 'getDashboardAsset',
  summary: 'Download a file of the dashboard',
  protection: 'public',
  request: { path: DashboardAssetPath, headers: DashboardHeaders },
  reply: {
    ...PAGE_FILE,
    description: 'A script, a style sheet or an image of the page.',
    mediaTypes: Object.values(ASSET_MEDIA_TYPES),
  },
  errors: ['not_found'],
  handle: async ({ path, event, services }) =>
    pageReply(event.headers, await services.dashboard.asset(path.name)),
});
