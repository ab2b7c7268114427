import type { Diagnostics, Provider } from '../api/schemas.ts';
import { usePage } from '../page-context.ts';
import { type TextKey, text } from '../text/text.ts';
import { toHealth, toSummary } from './providers/provider-health.ts';
import './system-heading.css';

/** The state of the bridge in a sentence or two; announced when it changes. */
export function SystemHeading() {
  const { diagnostics, providers, connection, queue } = usePage();
  const { value: reading } = diagnostics.latest;
  const isCurrent = connection.state.value === 'connected' && !diagnostics.error.value;
  return (
    <header class="system-heading">
      <h1>{text('app.system')}</h1>
      <p role="status">
        {reading && isCurrent && (
          <>
            {summaryOf(reading.report, providers.list.value ?? [])}
            {queue.latest.value?.paused && ` ${text('system.queue.paused')}`}
          </>
        )}
      </p>
    </header>
  );
}

function summaryOf({ providers, runtime }: Diagnostics, list: readonly Provider[]): string {
  const named = providers.map((provider) => {
    const descriptor = list.find(({ name }) => name === provider.name);
    return {
      health: toHealth(provider, runtime.providers[provider.name]?.breaker),
      name: descriptor?.display_name ?? provider.name,
      isDefault: descriptor?.default ?? false,
    };
  });
  return toSummary(named)
    .map(({ key, values }) => text(key as TextKey, values))
    .join(' ');
}
