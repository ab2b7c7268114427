import { usePage } from '../page-context.ts';
import { formatDuration, text } from '../text/text.ts';
import './service-facts.css';

/** Which version runs, since when, and who can reach it. */
export function ServiceFacts({ class: extra }: { readonly class: string }) {
  const { value: reading } = usePage().diagnostics.latest;
  if (reading === undefined) return null;
  const { service_version, uptime_ms, listener, authentication_required } = reading.report;
  const reach = text(`system.reach.${listener.scope}`);
  const token = text(authentication_required ? 'system.reach.token' : 'system.reach.noToken');
  const isOpen = listener.scope === 'remote' && !authentication_required;
  return (
    <p class={`service-facts num ${extra}`}>
      <span>{text('system.version', { version: service_version })}</span>
      <span>{text('system.uptime', { duration: formatDuration(uptime_ms) })}</span>
      <span>{text('system.port', { port: String(listener.port) })}</span>
      <span class={isOpen ? 'warn' : undefined}>{reach + text('list.separator') + token}</span>
    </p>
  );
}
