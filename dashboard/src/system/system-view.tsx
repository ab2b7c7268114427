import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { ServiceFacts } from './service-facts.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { SystemHeading } from './system-heading.tsx';
import { SystemNav } from './system-nav.tsx';
import { SystemParts } from './system-parts.tsx';
import { useCurrentSection } from './use-current-section.ts';
import './system-view.css';

/** How the bridge is: read every few seconds while somebody looks. */
export function SystemView() {
  const { diagnostics } = usePage();
  const main = useRef<HTMLElement>(null);
  const current = useCurrentSection(main);
  const isKnown = diagnostics.latest.value !== undefined;
  useEffect(() => diagnostics.watch(), [diagnostics]);
  useEffect(() => {
    // The browser looked for the part that the address names before there was one.
    if (isKnown) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isKnown]);
  return (
    <div class="system-view">
      <SystemNav current={current} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without focus, keys do not scroll it. */}
      <main ref={main} class="scroll" tabIndex={0} aria-label={text('app.system')}>
        <div class="sheet">
          <SystemHeading />
          <StaleBanner />
          <SystemParts />
          <ServiceFacts class="only-narrow" />
        </div>
      </main>
    </div>
  );
}
