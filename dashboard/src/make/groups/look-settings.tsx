import { Choice } from '../../controls/field.tsx';
import { Param } from '../../controls/param.tsx';
import { Segmented } from '../../controls/segmented.tsx';
import { Slider } from '../../controls/slider.tsx';
import { Switch } from '../../controls/switch.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useSetting } from './use-setting.ts';

const BACKGROUNDS = ['auto', 'opaque', 'transparent'] as const;

/** Edits quality, background, fidelity, moderation and previews, each only if the model supports it. */
export function LookSettings() {
  const document = usePage().chosen.value?.capabilities;
  if (document === undefined) return null;
  return (
    <>
      <QualityParam options={document.qualities} />
      <BackgroundParam />
      <CutOut />
      <FidelityParam options={document.input_fidelities} />
      <ModerationParam options={document.moderation} />
      <PreviewsParam max={document.partial_images.max} />
    </>
  );
}

function QualityParam({ options }: { readonly options: readonly string[] }) {
  const [value, set] = useSetting('parameters', 'quality');
  const current = value ?? 'auto';
  const segments = (['auto', 'low', 'medium', 'high', 'xhigh', 'max'] as const)
    .filter((each) => options.includes(each))
    .map((each) => ({ value: each, label: text(`make.quality.${each}`) }));
  return (
    <Param label={text('make.quality')} onReset={value ? () => set(undefined) : undefined}>
      <Segmented
        wide
        label={text('make.quality')}
        segments={segments}
        value={current}
        onChange={(next) => set(next === 'auto' ? undefined : next)}
      />
    </Param>
  );
}

function BackgroundParam() {
  const { chosen } = usePage();
  const [value, set] = useSetting('parameters', 'background');
  const alpha = chosen.value?.capabilities?.transparent_background;
  const model = chosen.value?.model ?? '';
  const isCut = value === 'transparent' && alpha === 'emulated';
  return (
    <Param
      label={text('make.background')}
      hint={
        (isCut && text('make.background.cutHere', { model })) ||
        (alpha === 'unsupported' && text('make.background.none', { model }))
      }
      onReset={value ? () => set(undefined) : undefined}
    >
      <Choice
        label={text('make.background')}
        value={value ?? 'auto'}
        options={BACKGROUNDS.filter(
          (each) => each !== 'transparent' || alpha !== 'unsupported',
        ).map((each) => ({ value: each, label: text(`make.background.${each}`) }))}
        onChange={(next) => set(next === 'auto' ? undefined : next)}
      />
    </Param>
  );
}

/** Shown only with images, because fidelity says how closely to follow them. */
function FidelityParam({ options }: { readonly options: readonly string[] }) {
  const { draft, chosen } = usePage();
  const [value, set] = useSetting('parameters', 'input_fidelity');
  if (draft.attachments.value.length === 0 && !value) return null;
  const none = options.length === 0;
  return (
    <Param
      label={text('make.fidelity')}
      disabled={none}
      hint={none && text('make.fidelity.none', { model: chosen.value?.model ?? '' })}
      onReset={value ? () => set(undefined) : undefined}
    >
      <Segmented
        wide
        label={text('make.fidelity')}
        disabled={none}
        value={value ?? 'auto'}
        segments={(['auto', 'low', 'high'] as const).map((each) => ({
          value: each,
          label: text(`make.quality.${each}`),
        }))}
        onChange={(next) => set(next === 'auto' ? undefined : next)}
      />
    </Param>
  );
}

function ModerationParam({ options }: { readonly options: readonly string[] }) {
  const [value, set] = useSetting('parameters', 'moderation');
  if (!options.includes('low')) return null;
  return (
    <Param label={text('make.moderation')} onReset={value ? () => set(undefined) : undefined}>
      <Segmented
        wide
        label={text('make.moderation')}
        value={value ?? 'auto'}
        segments={(['auto', 'low'] as const).map((each) => ({
          value: each,
          label: text(`make.quality.${each}`),
        }))}
        onChange={(next) => set(next === 'auto' ? undefined : next)}
      />
    </Param>
  );
}

function PreviewsParam({ max }: { readonly max: number }) {
  const [value, set] = useSetting('parameters', 'partial_images');
  if (max === 0) return null;
  const counts = Array.from({ length: max + 1 }, (_, count) => String(count));
  return (
    <Param
      label={text('make.previews')}
      hint={text('make.previews.hint')}
      onReset={typeof value === 'number' ? () => set(undefined) : undefined}
    >
      <Segmented
        wide
        label={text('make.previews')}
        value={typeof value === 'number' ? String(value) : 'auto'}
        segments={['auto', ...counts].map((each) => ({
          value: each,
          label: each === 'auto' ? text('make.quality.auto') : each,
        }))}
        onChange={(next) => set(next === 'auto' ? undefined : Number(next))}
      />
    </Param>
  );
}

/**
 * Tunes how the bridge cuts out the background. Shown if the background is to be transparent and the model produces no
 * alpha.
 */
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
  const despill = tuning?.despill ?? true;
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
          onChange={(value) =>
            set({
              ...tuning,
              transparent_threshold: value,
              opaque_threshold: Math.max(solid, value + 1),
            })
          }
        />
        <span class="num">{clear}</span>
        <Slider
          label={text('make.cut.solid')}
          min={1}
          max={255}
          value={solid}
          onChange={(value) =>
            set({
              ...tuning,
              opaque_threshold: value,
              transparent_threshold: Math.min(clear, value - 1),
            })
          }
        />
        <span class="num">{solid}</span>
      </Param>
      <Param label={text('make.cut.edges')}>
        <Switch
          label={text('make.cut.edges')}
          on={despill}
          onChange={(on) => set({ ...tuning, despill: on })}
        />
      </Param>
    </>
  );
}
