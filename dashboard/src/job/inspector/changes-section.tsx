import { ArrowRight, SlidersHorizontal } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/job-text.ts';
import { makerOf } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { useReadJob } from '../state/use-read-job.ts';
import { comparePrompts } from './prompt-changes.ts';
import { Prose } from './prose.tsx';
import { compareSettings, type SettingChange, takeSettings } from './setting-changes.ts';
import './changes-section.css';

/** Shows how the requests of two compared images differ. Renders nothing if one request made both images. */
export function ChangesSection({ job }: { readonly job: Job }) {
  const { looking } = useLook();
  const [aId, bId] = [looking.a, looking.b].map((image) => makerOf(image, job.id));
  const isComparing = looking.a !== undefined && aId !== bId;
  const outside = (id: string | undefined) => (isComparing && id !== job.id ? id : undefined);
  const [otherA, otherB] = [useReadJob(outside(aId)), useReadJob(outside(bId))];
  const a = aId === job.id ? job : otherA;
  const b = bId === job.id ? job : otherB;
  return isComparing && a && b ? <Changes a={a} b={b} /> : null;
}

function Changes({ a, b }: { readonly a: Job; readonly b: Job }) {
  const { draft, undo } = usePage();
  const { swap } = useLook();
  const settings = compareSettings(a, b);
  const isSame = a.request.prompt === b.request.prompt;

  function take(change: () => void): void {
    const before = draft.snapshot();
    change();
    undo.offer(text('family.changes.used'), before);
  }

  return (
    <section class="changes-section stack">
      <h2>
        {text('family.changes')}
        <Button size="small" look="quiet" onClick={swap}>
          {text('family.changes.swap')}
          <kbd class="only-wide">S</kbd>
        </Button>
      </h2>
      {!isSame && (
        <Prose content={a.request.prompt + b.request.prompt}>
          {comparePrompts(a.request.prompt, b.request.prompt).map(({ text: part, kind }, index) =>
            // The parts of a text never change their order.
            kind === 'added' ? (
              <ins key={index}>{part}</ins>
            ) : kind === 'removed' ? (
              <del key={index}>{part}</del>
            ) : (
              part
            ),
          )}
        </Prose>
      )}
      {isSame && settings.length === 0 && <p class="soft">{text('family.changes.none')}</p>}
      <dl class="fact-list">
        {settings.map((change) => (
          <ChangeRow
            key={change.name}
            change={change}
            onUse={() => take(() => change.use(draft))}
          />
        ))}
      </dl>
      {settings.length > 0 && (
        <Button
          size="small"
          icon={SlidersHorizontal}
          onClick={() => take(() => takeSettings(a, draft))}
        >
          {text('family.changes.use')}
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  readonly change: SettingChange;
  readonly onUse: () => void;
}

function ChangeRow({ change: { name, a, b }, onUse }: RowProps) {
  const unset = text('family.changes.unset');
  const value = a ?? unset;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="got row num">
        <s class="faint">{value}</s>
        <Icon of={ArrowRight} small />
        {b ?? unset}
      </dd>
      <dd>
        <IconButton
          small
          icon={SlidersHorizontal}
          label={text('family.changes.useOne', { name, value })}
          onClick={onUse}
        />
      </dd>
    </div>
  );
}
