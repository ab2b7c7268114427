import type { Job } from '../../api/schemas.ts';
import { isMadeHere } from '../../jobs/job-state.ts';
import { toCostText } from '../../money/cost-text.ts';
import { text } from '../../money/money-text.ts';

/** Shows what a job has cost, and where the amount comes from. Renders nothing for a job that made no call. */
export function CostSection({ job }: { readonly job: Job }) {
  const { result, error } = job;
  const isLost = error?.details['outcome'] === 'unknown';
  const cost = result?.cost ?? (isLost ? { basis: 'unknown' as const } : undefined);
  if (cost === undefined || isMadeHere(job)) return null;
  const why = isLost ? text('money.by.lost') : whyText(cost, result?.model ?? '');
  return (
    <section class="cost-section stack">
      <h2>
        {text('money.cost')}
        <span class={isLost ? 'num warn' : 'num'}>{toCostText(cost)}</span>
      </h2>
      {why && <p class="hint">{why}</p>}
    </section>
  );
}

function whyText(
  { basis, known_amount: part }: NonNullable<NonNullable<Job['result']>['cost']>,
  model: string,
): string | undefined {
  if (basis === 'free') return undefined;
  if (basis !== 'unknown') return text(`money.by.${basis}`);
  return part === undefined ? text('money.by.unknown', { model }) : text('money.by.partly');
}
