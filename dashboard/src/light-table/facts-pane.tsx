import { X } from 'lucide';
import { IconButton } from '../controls/button.tsx';
import { ScrollRegion } from '../controls/scroll-region.tsx';
import { text } from '../text/text.ts';
import { factsOf, unlikeMost } from './table-facts.ts';
import type { LightTable, TableImage } from './table-state.ts';

interface Props {
  readonly table: LightTable;
  readonly images: readonly TableImage[];
  readonly current: TableImage;
  readonly at: number;
  readonly onClose: () => void;
}

/** Shows the facts about the image that has the focus, bold where most other images differ. */
export function TableFacts({ table, images, current, at, onClose }: Props) {
  const facts = factsOf(current.job, current.image);
  const others = images.filter(({ id }) => id !== current.id);
  const unlike = unlikeMost(
    facts,
    others.map(({ job, image }) => factsOf(job, image)),
  );
  const { note } = table.marksOf(current);
  return (
    <ScrollRegion class="table-facts" label={text('table.factsOf', { number: at + 1 })}>
      <section>
        <h2>
          <b class="num">{at + 1}</b>
          <IconButton small icon={X} label={text('table.hideFacts')} onClick={onClose} />
        </h2>
        <p class="prompt" dir="auto">
          {current.job.request.prompt.slice(0, 1000)}
        </p>
        {note !== undefined && (
          <p class="soft" dir="auto">
            {note}
          </p>
        )}
      </section>
      <section>
        <h2>
          {text('table.facts')}
          <span class="hint">{text('table.bold')}</span>
        </h2>
        <dl>
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="num">{unlike.has(name) ? <b>{value}</b> : value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </ScrollRegion>
  );
}
