import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { SECTIONS } from './sections.ts';
import { ServiceFacts } from './service-facts.tsx';
import './system-nav.css';

/** The parts of the view, and what the bridge is. */
export function SystemNav({ current }: { readonly current: string }) {
  const nav = useRef<HTMLElement>(null);
  const { usage } = usePage();
  // A token may not be allowed to know its usage.
  const sections = SECTIONS.filter(({ id }) => id !== 'usage' || usage.latest.value !== undefined);
  useEffect(() => {
    // On a phone the parts stand in a row that is wider than the screen.
    nav.current
      ?.querySelector(`[href="#${current}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, sections.length]);
  return (
    <nav ref={nav} class="system-nav" aria-label={text('app.system')}>
      {sections.map(({ id, icon, name }) => (
        <a key={id} href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
          <Icon of={icon} />
          {text(name)}
        </a>
      ))}
      <ServiceFacts class="only-wide" />
    </nav>
  );
}
