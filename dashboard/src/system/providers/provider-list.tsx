import type { Reading } from '../../diagnostics/diagnostics.ts';
import { text } from '../../text/text.ts';
import { ProviderCard } from './provider-card.tsx';
import './provider-list.css';

/** Whether each provider is ready, what it does now, and what to do about one that is not ready. */
export function ProviderList({ reading }: { readonly reading: Reading }) {
  return (
    <section id="providers" class="provider-list" tabIndex={-1}>
      <h2 class="sr">{text('system.providers')}</h2>
      {reading.report.providers.map((provider) => (
        <ProviderCard key={provider.name} provider={provider} reading={reading} />
      ))}
    </section>
  );
}
