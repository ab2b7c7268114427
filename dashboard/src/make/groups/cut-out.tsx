import { Param } from '../../controls/param.tsx';
import { Slider } from '../../controls/slider.tsx';
import { Switch } from '../../controls/switch.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useSetting } from './use-setting.ts';

/** How the bridge cuts the background out, where it is to be transparent and the model makes no alpha of its own. */
export function CutOut() {
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
