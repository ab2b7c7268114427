import { Plus, RotateCcw, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PresetTemplate } from '../../api/schemas.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import { Choice, Field, Segmented, Slider, Switch } from '../../controls/inputs.tsx';
import { LabelEditor } from '../../labels/label-editor.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import type { SettingsGroup } from '../draft.ts';
import { sessionModes } from '../model-abilities.ts';
import { toCredentialsText } from '../plan-text.ts';
import './settings.css';

const GROUPS = {
  look: LookSettings,
  avoid: AvoidSettings,
  file: FileSettings,
  fit: FitSettings,
  session: SessionSettings,
  labels: LabelsSettings,
  metadata: MetadataSettings,
} as const;

export type GroupName = keyof typeof GROUPS;

/** Renders the settings of a group that was just opened, and scrolls the panel so that they are seen. */
export function Settings({ group }: { readonly group: GroupName }) {
  const { [group]: Group } = GROUPS;
  const end = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    end.current?.closest('.group')?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <>
      <Group />
      <span ref={end} hidden />
    </>
  );
}

interface ParamProps {
  readonly label: string;
  /** A short explanation of the setting, or the reason why it is disabled. */
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
  /** Resets the value to its default. Undefined if the value is the default. */
  readonly onReset?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

/** Renders one setting: its name, its control, and an optional hint. */
function Param({ label, children, hint, disabled = false, onReset }: ParamProps) {
  return (
    <div class="param" aria-disabled={disabled}>
      <span class="label">{label}</span>
      <div class="value row">{children}</div>
      {onReset && (
        <IconButton
          small
          icon={RotateCcw}
          label={text('make.reset', { name: label })}
          onClick={onReset}
        />
      )}
      {hint && <p class="hint">{hint}</p>}
    </div>
  );
}

type Members<G extends SettingsGroup> = NonNullable<PresetTemplate[G]>;
type Member<G extends SettingsGroup, K extends keyof Members<G>> = NonNullable<Members<G>[K]>;
type Setting<T> = readonly [T | undefined, (next: T | undefined) => void];

/** Returns a setting of the draft and a function to change it. `undefined` means the default value of the bridge. */
function useSetting<G extends SettingsGroup, K extends keyof Members<G>>(
  group: G,
  name: K,
): Setting<Member<G, K>> {
  const { draft } = usePage();
  // TypeScript does not narrow a union of groups by a type parameter.
  const members = (draft.settings.value[group] ?? {}) as Partial<Record<keyof Members<G>, unknown>>;
  return [
    (members[name] ?? undefined) as Member<G, K> | undefined,
    (next) => {
      // TypeScript does not infer that an object with one computed member is part of the group.
      draft.set(group, { [name]: next } as Parameters<typeof draft.set<G>>[1]);
    },
  ];
}

interface OptionParamProps<T extends string> extends Omit<ParamProps, 'children' | 'onReset'> {
  readonly setting: Setting<T>;
  /** The values to choose from. The first value is the default, which is not sent. */
  readonly options: readonly [T, ...T[]];
  readonly toLabel: (value: T) => string;
  /** True for a drop-down list, false for buttons side by side. */
  readonly isList?: boolean;
}

/** Edits a setting that has a few values. */
function OptionParam<T extends string>(props: OptionParamProps<T>) {
  const { setting, options, toLabel, isList, ...param } = props;
  const [value, set] = setting;
  const [initial] = options;
  const control = {
    label: param.label,
    value: value ?? initial,
    options: options.map((each) => ({ value: each, label: toLabel(each) })),
    disabled: param.disabled ?? false,
    onChange: (next: T) => set(next === initial ? undefined : next),
  };
  return (
    <Param {...param} onReset={value ? () => set(undefined) : undefined}>
      {isList ? <Choice {...control} /> : <Segmented wide {...control} />}
    </Param>
  );
}

/** Edits quality, background, fidelity, moderation and previews, if the model supports them. */
function LookSettings() {
  const { chosen, draft } = usePage();
  const { capabilities, model = '' } = chosen.value ?? {};
  const fidelity = useSetting('parameters', 'input_fidelity');
  const quality = useSetting('parameters', 'quality');
  const moderation = useSetting('parameters', 'moderation');
  if (capabilities === undefined) return null;
  const { qualities, input_fidelities: fidelities, moderation: moderations } = capabilities;
  const listed = (['low', 'medium', 'high', 'xhigh', 'max'] as const).filter((each) =>
    (qualities as readonly string[]).includes(each),
  );
  const noFidelity = fidelities.length === 0;
  return (
    <>
      <OptionParam
        label={text('make.quality')}
        setting={quality}
        options={['auto', ...listed]}
        toLabel={(each) => text(`make.quality.${each}`)}
      />
      <BackgroundParam />
      <CutOut />
      {/* Fidelity says how closely to follow the images, so it needs images. */}
      {(draft.attachments.value.length > 0 || fidelity[0]) && (
        <OptionParam
          label={text('make.fidelity')}
          disabled={noFidelity}
          hint={noFidelity && text('make.fidelity.none', { model })}
          setting={fidelity as Setting<'auto' | 'low' | 'high'>}
          options={['auto', 'low', 'high']}
          toLabel={(each) => text(`make.quality.${each}`)}
        />
      )}
      {moderations.includes('low') && (
        <OptionParam
          label={text('make.moderation')}
          setting={moderation}
          options={['auto', 'low']}
          toLabel={(each) => text(`make.quality.${each}`)}
        />
      )}
      <PreviewsParam max={capabilities.partial_images.max} />
    </>
  );
}

function BackgroundParam() {
  const { chosen } = usePage();
  const setting = useSetting('parameters', 'background');
  const alpha = chosen.value?.capabilities?.transparent_background;
  const model = chosen.value?.model ?? '';
  const isCut = setting[0] === 'transparent' && alpha === 'emulated';
  const none = alpha === 'unsupported';
  return (
    <OptionParam
      isList
      label={text('make.background')}
      hint={
        (isCut && text('make.background.cutHere', { model })) ||
        (none && text('make.background.none', { model }))
      }
      setting={setting}
      options={none ? ['auto', 'opaque'] : ['auto', 'opaque', 'transparent']}
      toLabel={(each) => text(`make.background.${each}`)}
    />
  );
}

function PreviewsParam({ max }: { readonly max: number }) {
  const [value, set] = useSetting('parameters', 'partial_images');
  if (max === 0) return null;
  return (
    <OptionParam
      label={text('make.previews')}
      hint={text('make.previews.hint')}
      setting={[
        typeof value === 'number' ? String(value) : undefined,
        (next) => set(next === undefined ? undefined : Number(next)),
      ]}
      options={['auto', ...Array.from({ length: max + 1 }, (_, count) => String(count))]}
      toLabel={(each) => (each === 'auto' ? text('make.quality.auto') : each)}
    />
  );
}

/** Edits how the bridge cuts out the background, for a model that does not produce the requested alpha channel. */
function CutOut() {
  const { draft, chosen } = usePage();
  const [tuning, set] = useSetting('output', 'transparency');
  const isWanted = draft.settings.value.parameters?.background === 'transparent';
  const isNative =
    chosen.value?.capabilities?.transparent_background === 'native' &&
    tuning?.mode !== 'chroma_key';
  if (!isWanted || isNative) return null;
  const clear = tuning?.transparent_threshold ?? 12;
  const solid = tuning?.opaque_threshold ?? 96;
  const setThresholds = (transparent_threshold: number, opaque_threshold: number) =>
    set({ ...tuning, transparent_threshold, opaque_threshold });
  return (
    <>
      <Param
        label={text('make.cut')}
        hint={text('make.cut.hint')}
        onReset={tuning ? () => set(undefined) : undefined}
      >
        <Slider
          label={text('make.cut.clear')}
          min={0}
          max={254}
          value={clear}
          onChange={(value) => setThresholds(value, Math.max(solid, value + 1))}
        />
        <span class="num">{clear}</span>
        <Slider
          label={text('make.cut.solid')}
          min={1}
          max={255}
          value={solid}
          onChange={(value) => setThresholds(Math.min(clear, value - 1), value)}
        />
        <span class="num">{solid}</span>
      </Param>
      <Param label={text('make.cut.edges')}>
        <Switch
          label={text('make.cut.edges')}
          on={tuning?.despill ?? true}
          onChange={(on) => set({ ...tuning, despill: on })}
        />
      </Param>
    </>
  );
}

/** Edits the negative prompt, and how it is sent to the model. */
function AvoidSettings() {
  const { draft, chosen } = usePage();
  const policy = useSetting('policies', 'negative_prompt');
  const support = chosen.value?.capabilities?.negative_prompt;
  const model = chosen.value?.model ?? '';
  return (
    <>
      <textarea
        class="text-area edged"
        rows={2}
        dir="auto"
        aria-label={text('make.avoid')}
        placeholder={text('make.avoid.placeholder')}
        value={draft.settings.value.negative_prompt ?? ''}
        onInput={(event) => {
          const { negative_prompt: _, ...rest } = draft.settings.peek();
          const next = event.currentTarget.value;
          draft.apply(next.trim() === '' ? rest : { ...rest, negative_prompt: next });
        }}
      />
      {support === 'emulated' && <p class="hint">{text('make.avoid.merged', { model })}</p>}
      {support === 'unsupported' && <p class="hint">{text('make.fidelity.none', { model })}</p>}
      <OptionParam
        isList
        label={text('make.avoid.how')}
        setting={policy}
        options={['auto', 'native', 'merge', 'reject']}
        toLabel={(each) => text(`make.avoid.how.${each}`)}
      />
    </>
  );
}

/** Edits the format, the folder and the name of the files, and the record that is stored with the files. */
function FileSettings() {
  const { draft } = usePage();
  const [format, setFormat] = useSetting('parameters', 'output_format');
  const metadata = useSetting('output', 'metadata');
  const isSingle = (draft.settings.value.parameters?.n ?? 1) === 1;
  return (
    <>
      <OptionParam
        label={text('make.format')}
        setting={[
          format,
          (next) => {
            setFormat(next);
            if (next === undefined) draft.set('parameters', { output_compression: undefined });
          },
        ]}
        options={['png', 'jpeg', 'webp']}
        toLabel={(each) => text(`make.format.${each}`)}
      />
      {format && format !== 'png' && <CompressionParam />}
      <NameParam name="directory" />
      {isSingle ? <NameParam name="filename" /> : <NameParam name="filename_prefix" />}
      <OptionParam
        isList
        label={text('make.record')}
        setting={metadata}
        options={['none', 'sidecar', 'embedded', 'sidecar_and_embedded']}
        toLabel={(each) => text(`make.record.${each}`)}
      />
      <CredentialsHint />
    </>
  );
}

/** Says before an image is made and paid for what its format and its record mean for Content Credentials. */
function CredentialsHint() {
  const { draft, plan } = usePage();
  const state = plan.value;
  if (state.state !== 'planned') return null;
  const said = toCredentialsText(state.plan, draft.settings.value);
  return (
    said && (
      <p class="hint" role="status">
        {said}
      </p>
    )
  );
}

function CompressionParam() {
  const [value, set] = useSetting('parameters', 'output_compression');
  return (
    <Param
      label={text('make.compression')}
      onReset={typeof value === 'number' ? () => set(undefined) : undefined}
    >
      <Slider
        label={text('make.compression')}
        min={0}
        max={100}
        value={value ?? 80}
        onChange={set}
      />
      <span class="num">{typeof value === 'number' ? value : text('make.quality.auto')}</span>
    </Param>
  );
}

/** Edits one component of the file's path below the artifact folder. Each plan checks the path. */
function NameParam({ name }: { readonly name: 'directory' | 'filename' | 'filename_prefix' }) {
  const { draft } = usePage();
  const [value, set] = useSetting('output', name);
  return (
    <Param
      label={text(`make.${name}`)}
      hint={name === 'filename' && text('make.filename.hint')}
      onReset={value ? () => set(undefined) : undefined}
    >
      <Field
        label={text(`make.${name}`)}
        value={value ?? ''}
        placeholder={text(`make.${name}.placeholder`)}
        onInput={(next) => {
          if (name === 'filename') draft.set('output', { filename_prefix: undefined });
          if (name === 'filename_prefix') draft.set('output', { filename: undefined });
          set(next === '' ? undefined : next);
        }}
      />
    </Param>
  );
}

/** Edits the fit, the fallback, and what happens if one of several images fails. */
function FitSettings() {
  const { draft } = usePage();
  const fit = useSetting('policies', 'compatibility');
  const failure = useSetting('parameters', 'failure_policy');
  return (
    <>
      <OptionParam
        label={text('make.fit.label')}
        hint={text(`make.fit.${fit[0] ?? 'strict'}.hint`)}
        setting={fit}
        options={['strict', 'normalize', 'best_effort']}
        toLabel={(each) => text(`make.fit.${each}`)}
      />
      <FallbackParams />
      {(draft.settings.value.parameters?.n ?? 1) > 1 && (
        <OptionParam
          isList
          label={text('make.onFailure')}
          setting={failure}
          options={['fail_fast', 'best_effort']}
          toLabel={(each) => text(`make.onFailure.${each}`)}
        />
      )}
    </>
  );
}

/** Edits the fallback. Only one other provider can be chosen here, although the API accepts several fallbacks. */
function FallbackParams() {
  const { providers, chosen } = usePage();
  const [fallbacks, setFallbacks] = useSetting('routing', 'fallbacks');
  const policy = useSetting('routing', 'fallback_policy');
  const [mode = 'isolated'] = useSetting('session', 'mode');
  const others = new Map(
    providers.list.value
      ?.filter(({ name }) => name !== chosen.value?.provider.name)
      .map(({ name, display_name }) => [name, display_name]),
  );
  if (others.size === 0) return null;
  const isBlocked = mode !== 'isolated';
  const current = fallbacks && (fallbacks[0]?.provider ?? '');
  return (
    <>
      <OptionParam
        isList
        label={text('make.fallback')}
        disabled={isBlocked}
        hint={isBlocked && text('make.fallback.session')}
        setting={[current, (provider) => setFallbacks(provider ? [{ provider }] : undefined)]}
        options={['', ...others.keys()]}
        toLabel={(name) => others.get(name) ?? text('make.fallback.off')}
      />
      {current && (
        <OptionParam
          isList
          label={text('make.fallback.when')}
          setting={policy}
          options={['on_unavailable', 'on_error']}
          toLabel={(each) => text(`make.fallback.${each}`)}
        />
      )}
    </>
  );
}

/** Edits the session: its mode, and its name or thread id. */
function SessionSettings() {
  const { draft, chosen } = usePage();
  const [mode = 'isolated'] = useSetting('session', 'mode');
  const modes = sessionModes(chosen.value?.capabilities);
  return (
    <>
      <Param label={text('make.session.memory')}>
        <Segmented
          wide
          label={text('make.session.memory')}
          value={mode}
          options={(['isolated', 'persistent', 'thread'] as const)
            .filter((each) => modes.includes(each) || each === mode)
            .map((value) => ({ value, label: text(`make.session.${value}`) }))}
          onChange={(next) =>
            draft.set('session', {
              mode: next === 'isolated' ? undefined : next,
              key: undefined,
              thread_id: undefined,
            })
          }
        />
      </Param>
      {mode !== 'isolated' && <SessionName member={mode === 'thread' ? 'thread_id' : 'key'} />}
    </>
  );
}

function SessionName({ member }: { readonly member: 'key' | 'thread_id' }) {
  const [value, set] = useSetting('session', member);
  const label = text(`make.session.${member}`);
  return (
    <Param label={label} hint={text(`make.session.${member}.hint`)}>
      <Field
        label={label}
        value={value ?? ''}
        onInput={(next) => set(next === '' ? undefined : next)}
      />
    </Param>
  );
}

/** Edits the labels that the next job gets. */
function LabelsSettings() {
  const { labels } = usePage().draft;
  const { value: list } = labels;

  async function put(next: readonly string[]): Promise<boolean> {
    labels.value = next;
    return true;
  }

  return (
    <>
      <p class="hint">{text('make.labels.hint')}</p>
      <LabelEditor
        labels={list.map((label) => ({ label }))}
        taken={list}
        onAdd={(label) => put([...list, label])}
        onRemove={(label) => put(list.filter((each) => each !== label))}
        onRename={(label, next) => put(list.map((each) => (each === label ? next : each)))}
      />
    </>
  );
}

/** The limits of `metadata` in a request: the maximum number of pairs, and the pattern of a name. */
const MAX_PAIRS = 16;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Edits the metadata, with a form to add a pair of a name and a value. */
function MetadataSettings() {
  const { draft } = usePage();
  const pairs = Object.entries(draft.settings.value.metadata ?? {});

  function put(next: readonly (readonly [string, string])[]): void {
    const { metadata: _, ...rest } = draft.settings.peek();
    draft.apply(next.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(next) });
  }

  /** Adds a name. A name that already exists keeps its value. */
  function add(name: string): void {
    if (!pairs.some(([each]) => each === name)) put([...pairs, [name, '']]);
  }

  return (
    <>
      <p class="hint">{text('make.metadata.hint')}</p>
      <ul class="metadata">
        {pairs.map(([name, content]) => (
          <li key={name}>
            <span class="mono cut">{name}</span>
            <Field
              label={text('make.metadata.value', { name })}
              value={content}
              maxLength={512}
              spellcheck
              onInput={(next) =>
                put(pairs.map(([each, old]) => [each, each === name ? next : old]))
              }
            />
            <IconButton
              small
              icon={X}
              label={text('make.remove', { name })}
              onClick={() => put(pairs.filter(([each]) => each !== name))}
            />
          </li>
        ))}
      </ul>
      {pairs.length < MAX_PAIRS && <NewPair onAdd={add} />}
    </>
  );
}

function NewPair({ onAdd }: { readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  const isBad = name !== '' && !NAME.test(name);
  const add = () => {
    if (!NAME.test(name)) return;
    onAdd(name);
    setName('');
  };
  return (
    <div class="fields">
      <Field
        label={text('make.metadata.name')}
        placeholder={text('make.metadata.name')}
        value={name}
        bad={isBad}
        maxLength={64}
        onInput={setName}
        onKeyDown={(event) => event.key === 'Enter' && add()}
      />
      <Button icon={Plus} disabled={name === '' || isBad} onClick={add}>
        {text('make.metadata.add')}
      </Button>
      {isBad && <p class="bad">{text('make.metadata.characters')}</p>}
    </div>
  );
}
