import { ChevronRight } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../../controls/icon.tsx';
import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { sessionModes } from './session-modes.ts';
import './groups.css';

interface GroupProps {
  readonly title: string;
  /** A short summary of the settings, visible while the group is collapsed. */
  readonly value: string;
  readonly children: ComponentChildren;
}

/** Renders a group of related settings, which is collapsed until it is opened. */
function Group({ title, value, children }: GroupProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <section class="group">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ChevronRight} />
        {title}
        <span class="cut">{value}</span>
      </button>
      <div id={id} class="group-body" hidden={!isOpen}>
        {isOpen && children}
      </div>
    </section>
  );
}

const LookSettings = lazyView(async () => (await import('./look-settings.tsx')).LookSettings);

/** The quality and background settings. */
export function LookGroup() {
  const { quality, background } = usePage().draft.settings.value.parameters ?? {};
  const parts = [text(`make.quality.${quality ?? 'auto'}`)];
  if (background && background !== 'auto') parts.push(text(`make.background.${background}.short`));
  return (
    <Group title={text('make.look')} value={parts.join(text('list.separator'))}>
      <LookSettings />
    </Group>
  );
}

const FileSettings = lazyView(async () => (await import('./file-settings.tsx')).FileSettings);

/** The settings for stored files. */
export function FileGroup() {
  const { parameters, output } = usePage().draft.settings.value;
  const parts = [
    text(`make.format.${parameters?.output_format ?? 'png'}`),
    text(`make.record.${output?.metadata ?? 'none'}.short`),
  ];
  return (
    <Group title={text('make.file')} value={parts.join(text('list.separator'))}>
      <FileSettings />
    </Group>
  );
}

const FitSettings = lazyView(async () => (await import('./fit-settings.tsx')).FitSettings);

/** The settings for unsupported requests and for failures of the provider. */
export function FitGroup() {
  const { policies, routing } = usePage().draft.settings.value;
  const next = routing?.fallbacks?.[0];
  const parts = [
    text(`make.fit.${policies?.compatibility ?? 'strict'}`),
    next
      ? text('make.fallback.then', { name: next.model ?? next.provider })
      : text('make.fallback.none'),
  ];
  return (
    <Group title={text('make.fit')} value={parts.join(text('list.separator'))}>
      <FitSettings />
    </Group>
  );
}

const SessionSettings = lazyView(
  async () => (await import('./session-settings.tsx')).SessionSettings,
);

/** The session settings. Hidden if the model supports no session and none is set. */
export function SessionGroup() {
  const { draft, chosen } = usePage();
  const current = draft.settings.value.session?.mode ?? 'isolated';
  const modes = sessionModes(chosen.value?.capabilities);
  if (modes.length === 1 && current === 'isolated') return null;
  return (
    <Group title={text('make.session')} value={text(`make.session.${current}`)}>
      <SessionSettings />
    </Group>
  );
}

const AvoidSettings = lazyView(async () => (await import('./avoid-settings.tsx')).AvoidSettings);

/** The negative prompt. */
export function AvoidGroup() {
  const avoid = usePage().draft.settings.value.negative_prompt;
  return (
    <Group title={text('make.avoid')} value={avoid || text('make.avoid.nothing')}>
      <AvoidSettings />
    </Group>
  );
}

const LabelsSettings = lazyView(async () => (await import('./labels-settings.tsx')).LabelsSettings);

/** Labels set by the user, which are stored with the job and its record, and sent nowhere else. */
export function LabelsGroup() {
  const names = Object.keys(usePage().draft.settings.value.metadata ?? {});
  const value = names.length === 0 ? text('make.labels.none') : names.join(text('list.separator'));
  return (
    <Group title={text('make.labels')} value={value}>
      <LabelsSettings />
    </Group>
  );
}
