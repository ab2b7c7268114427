import { Choice } from '../../controls/field.tsx';
import { Param } from '../../controls/param.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useSetting } from './use-setting.ts';

const POLICIES = ['auto', 'native', 'merge', 'reject'] as const;

/** Edits the negative prompt, and how it is sent to the model. */
export function AvoidSettings() {
  const { draft, chosen } = usePage();
  const [policy, setPolicy] = useSetting('policies', 'negative_prompt');
  const avoid = draft.settings.value.negative_prompt;
  const support = chosen.value?.capabilities?.negative_prompt;
  const model = chosen.value?.model ?? '';
  return (
    <>
      <textarea
        class="text-area"
        rows={2}
        dir="auto"
        aria-label={text('make.avoid')}
        placeholder={text('make.avoid.placeholder')}
        value={avoid ?? ''}
        onInput={(event) => {
          const { negative_prompt: _, ...rest } = draft.settings.peek();
          const next = event.currentTarget.value;
          draft.apply(next.trim() === '' ? rest : { ...rest, negative_prompt: next });
        }}
      />
      {support === 'emulated' && <p class="hint">{text('make.avoid.merged', { model })}</p>}
      {support === 'unsupported' && <p class="hint">{text('make.avoid.none', { model })}</p>}
      <Param
        label={text('make.avoid.how')}
        onReset={policy ? () => setPolicy(undefined) : undefined}
      >
        <Choice
          label={text('make.avoid.how')}
          value={policy ?? 'auto'}
          options={POLICIES.map((value) => ({ value, label: text(`make.avoid.how.${value}`) }))}
          onChange={(next) => setPolicy(next === 'auto' ? undefined : next)}
        />
      </Param>
    </>
  );
}
