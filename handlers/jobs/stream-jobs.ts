import { JobFeedEvent, LastEventIdHeaders } from '../../lib/contract/resources/job-events.ts';
import { stream } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/jobs/events: streams changes of the caller's jobs. Throws `invalid_request`, `rate_limited`. */
export const handler = operation<'jobStreams'>()({
  id: 'streamJobs',
  summary: 'Follow the changes of all jobs',
  protection: 'read',
  request: { headers: LastEventIdHeaders },
  reply: {
    status: 200,
    description:
      'First an id without an event, then the active jobs, then every changed job, each in its state at the time of sending. A reader that sends the last id as `Last-Event-ID` receives the jobs that have changed since, also after a restart of the bridge. A slow reader receives each changed job once, in its current state.',
    events: JobFeedEvent,
  },
  errors: ['rate_limited'],
  handle: async ({ headers, context, services }) =>
    stream(await services.jobStreams.ofScope(context, headers['last-event-id'])),
});
