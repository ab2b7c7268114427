import { Check, X } from 'lucide';
import type { ImageResponse } from '../../api/schemas.ts';
import { Icon } from '../../controls/icon.tsx';
import { formatSeconds, hasText, text } from '../../text/text.ts';

const PARTS = ['queue', 'input', 'provider', 'artifact'] as const;

/** Shows how long each phase took, and which models were tried. */
export function TimeSection({ result }: { readonly result: ImageResponse }) {
  const { timings, attempts = [], usage } = result;
  const seconds = (ms: number) => text('job.seconds', { seconds: formatSeconds(ms) });
  const parts = PARTS.map((part) => ({ part, ms: timings[`${part}_ms`] }));
  const label = parts
    .map(({ part, ms }) => `${text(`job.time.${part}`)} ${seconds(ms)}`)
    .join(text('list.separator'));
  return (
    <section class="time-section">
      <h2>
        {text('job.time')}
        <span class="num">{seconds(timings.total_ms)}</span>
      </h2>
      <div class="bar" role="img" aria-label={label}>
        {parts.map(({ part, ms }) => (
          <i key={part} class={part} style={{ flexGrow: ms }} />
        ))}
      </div>
      <p class="legend num" aria-hidden="true">
        {parts.map(({ part, ms }) => (
          <span key={part} class={part}>
            {text(`job.time.${part}`)} {formatSeconds(ms)}
          </span>
        ))}
      </p>
      {attempts.length > 0 && (
        <ol class="attempts" aria-label={text('job.attempts')}>
          {attempts.map((attempt, index) => (
            // Attempts of a job that has ended never change their order.
            <li key={index} class={attempt.outcome}>
              <Icon of={attempt.outcome === 'failed' ? X : Check} small />
              <span>{attemptText(attempt)}</span>
              <span class="faint num">{seconds(attempt.duration_ms)}</span>
            </li>
          ))}
        </ol>
      )}
      {usage?.total_tokens !== undefined && (
        <p class="hint num">{text('job.tokens', { count: usage.total_tokens })}</p>
      )}
    </section>
  );
}

type Attempt = NonNullable<ImageResponse['attempts']>[number];

function attemptText({ provider, model, outcome, error_code: code }: Attempt): string {
  const name = model ?? provider;
  if (outcome === 'succeeded') return name;
  const key = `failure.${code}.title`;
  return text('job.attempt.failed', { name, why: hasText(key) ? text(key) : (code ?? '') });
}
