import { ChevronRight } from 'lucide';
import { useId, useState } from 'preact/hooks';
import type { Capabilities, PresetTemplate } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { sessionModes } from '../model-abilities.ts';
import type { GroupName } from './settings.tsx';
import './groups.css';

const NAMES: readonly GroupName[] = [
  'look',
  'avoid',
  'file',
  'fit',
  'session',
  'labels',
  'metadata',
];

/** Renders the settings that are needed less often, in groups that are collapsed until the user opens them. */
export function Groups() {
  const { draft, chosen } = usePage();
  return (
    <>
      {NAMES.map((name) => {
        const { capabilities } = chosen.value ?? {};
        const summary = SUMMARIES[name](draft.settings.value, capabilities, draft.labels.value);
        return (
          summary && <Group key={name} name={name} summary={summary.join(text('list.separator'))} />
        );
      })}
    </>
  );
}

type Summary = (
  settings: PresetTemplate,
  capabilities: Capabilities | undefined,
  labels: readonly string[],
) => readonly string[] | undefined;

/** A summary of each group, which is visible while the group is collapsed. Undefined hides the group. */
const SUMMARIES: Readonly<Record<GroupName, Summary>> = {
  look({ parameters }) {
    const { background } = parameters ?? {};
    const quality = text(`make.quality.${parameters?.quality ?? 'auto'}`);
    if (!background || background === 'auto') return [quality];
    return [quality, text(`make.background.${background}.short`)];
  },
  avoid: ({ negative_prompt: avoid }) => [avoid || text('make.avoid.nothing')],
  file: ({ parameters, output }) => [
    text(`make.format.${parameters?.output_format ?? 'png'}`),
    text(`make.record.${output?.metadata ?? 'none'}.short`),
  ],
  fit({ policies, routing }) {
    const next = routing?.fallbacks?.[0];
    return [
      text(`make.fit.${policies?.compatibility ?? 'strict'}`),
      next
        ? text('make.fallback.then', { name: next.model ?? next.provider })
        : text('make.fallback.none'),
    ];
  },
  session({ session }, capabilities) {
    const current = session?.mode ?? 'isolated';
    const isUseless = sessionModes(capabilities).length === 1 && current === 'isolated';
    return isUseless ? undefined : [text(`make.session.${current}`)];
  },
  labels: (_settings, _capabilities, labels) =>
    labels.length === 0 ? [text('make.labels.none')] : labels,
  metadata({ metadata }) {
    const names = Object.keys(metadata ?? {});
    return names.length === 0 ? [text('make.metadata.none')] : names;
  },
};

/** The code of the settings is loaded when a group is first opened. */
const Settings = lazyView(async () => (await import('./settings.tsx')).Settings);

function Group({ name, summary }: { readonly name: GroupName; readonly summary: string }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <section class="group">
      <button
        type="button"
        class="row"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ChevronRight} />
        {text(`make.${name}`)}
        <span class="cut">{summary}</span>
      </button>
      <div id={id} class="group-body" hidden={!isOpen}>
        {isOpen && <Settings group={name} />}
      </div>
    </section>
  );
}
