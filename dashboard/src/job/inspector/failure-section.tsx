import type { BridgeError, Job } from '../../api/schemas.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';

/** Explains why there are no images, or fewer than requested. */
export function FailureSection({ job }: { readonly job: Job }) {
  const failures = job.result?.failures ?? [];
  if (job.error === undefined && failures.length === 0) return null;
  return (
    <section class="failure-section" role="alert">
      {job.error && <Failure error={job.error} job={job} />}
      {failures.map(({ index, error }) => (
        <Failure key={index} error={error} job={job} number={index + 1} />
      ))}
    </section>
  );
}

interface Props {
  readonly error: BridgeError;
  readonly job: Job;
  /** The number of the output that failed. Undefined for a failure of the whole job. */
  readonly number?: number;
}

function Failure({ error, job, number }: Props) {
  const words = toFailureText(error, (job.completed ?? job.updated) * 1000);
  return (
    <div class="failure">
      <h2>
        {number === undefined
          ? words.title
          : text('job.failure.ofOutput', { number, title: words.title })}
      </h2>
      <p>{words.text}</p>
      <details>
        <summary>{text('action.details')}</summary>
        <p>{error.message}</p>
        {error.suggestions.length > 0 && (
          <ul>
            {error.suggestions.map((suggestion) => (
              <li key={suggestion}>{suggestion}</li>
            ))}
          </ul>
        )}
        <dl>
          <dt>{text('job.failure.code')}</dt>
          <dd class="mono">{error.code}</dd>
          {error.provider !== undefined && (
            <>
              <dt>{text('job.failure.provider')}</dt>
              <dd class="mono">{error.provider}</dd>
            </>
          )}
          <dt>{text('job.failure.job')}</dt>
          <dd class="mono">{job.id}</dd>
          {error.upstream_request_id !== undefined && (
            <>
              <dt>{text('job.failure.request')}</dt>
              <dd class="mono">{error.upstream_request_id}</dd>
            </>
          )}
        </dl>
      </details>
    </div>
  );
}
