import { JobFeedEvent, LastEventIdHeaders } from '../../lib/contract/resources/job-events.ts';
import { stream } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/events: the caller's jobs as they change. Throws `invalid_request`, `rate_limited`. */
export const handler = operation<'jobStreams'>()({
  id: 'streamJobs',
  summary: 'Follow all jobs as they change',
  protection: 'read',
  request: { headers: LastEventIdHeaders },
  reply: {
    status: 200,
    description:
      'First an id without an event, then the active jobs, then every job that changes, each as it is when it is sent. A reader that sends the last id back as `Last-Event-ID` gets the jobs that have changed since, also after a restart of the bridge. A slow reader gets each job once, as it is by then.',
    events: JobFeedEvent,
  },
  errors: ['rate_limited'],
  handle: async ({ headers, context, services }) =>
    stream(await services.jobStreams.ofScope(context, headers['last-event-id'])),
});
