import { Choice } from '../../controls/field.tsx';
import { Param } from '../../controls/param.tsx';
import { Segmented } from '../../controls/segmented.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useSetting } from './use-setting.ts';

const COMPATIBILITIES = ['strict', 'normalize', 'best_effort'] as const;
const FAILURE_POLICIES = ['fail_fast', 'best_effort'] as const;
const FALLBACK_POLICIES = ['on_unavailable', 'on_error'] as const;

/** Edits the fit, the fallback, and the effect of one failure among several images. */
export function FitSettings() {
  const { draft } = usePage();
  const [fit, setFit] = useSetting('policies', 'compatibility');
  const [failure, setFailure] = useSetting('parameters', 'failure_policy');
  const isSeveral = (draft.settings.value.parameters?.n ?? 1) > 1;
  return (
    <>
      <Param
        label={text('make.fit.label')}
        hint={text(`make.fit.${fit ?? 'strict'}.hint`)}
        onReset={fit ? () => setFit(undefined) : undefined}
      >
        <Segmented
          wide
          label={text('make.fit.label')}
          value={fit ?? 'strict'}
          segments={COMPATIBILITIES.map((value) => ({ value, label: text(`make.fit.${value}`) }))}
          onChange={(value) => setFit(value === 'strict' ? undefined : value)}
        />
      </Param>
      <FallbackParam />
      {isSeveral && (
        <Param
          label={text('make.onFailure')}
          onReset={failure ? () => setFailure(undefined) : undefined}
        >
          <Choice
            label={text('make.onFailure')}
            value={failure ?? 'fail_fast'}
            options={FAILURE_POLICIES.map((value) => ({
              value,
              label: text(`make.onFailure.${value}`),
            }))}
            onChange={(value) => setFailure(value === 'fail_fast' ? undefined : value)}
          />
        </Param>
      )}
    </>
  );
}

/** Chooses the fallback: one other provider, which covers the common case. */
function FallbackParam() {
  const { providers, chosen } = usePage();
  const [fallbacks, setFallbacks] = useSetting('routing', 'fallbacks');
  const [policy, setPolicy] = useSetting('routing', 'fallback_policy');
  const [mode] = useSetting('session', 'mode');
  const others = (providers.list.value ?? []).filter(
    ({ name }) => name !== chosen.value?.provider.name,
  );
  const isBlocked = mode !== undefined && mode !== 'isolated';
  if (others.length === 0) return null;
  const current = fallbacks?.[0]?.provider ?? '';
  return (
    <>
      <Param
        label={text('make.fallback')}
        disabled={isBlocked}
        hint={isBlocked && text('make.fallback.session')}
        onReset={fallbacks ? () => setFallbacks(undefined) : undefined}
      >
        <Choice
          label={text('make.fallback')}
          value={current}
          disabled={isBlocked}
          options={[
            { value: '', label: text('make.fallback.off') },
            ...others.map(({ name, display_name }) => ({ value: name, label: display_name })),
          ]}
          onChange={(provider) => setFallbacks(provider === '' ? undefined : [{ provider }])}
        />
      </Param>
      {current !== '' && (
        <Param
          label={text('make.fallback.when')}
          onReset={policy ? () => setPolicy(undefined) : undefined}
        >
          <Choice
            label={text('make.fallback.when')}
            value={policy ?? 'on_unavailable'}
            options={FALLBACK_POLICIES.map((value) => ({
              value,
              label: text(`make.fallback.${value}`),
            }))}
            onChange={(value) => setPolicy(value === 'on_unavailable' ? undefined : value)}
          />
        </Param>
      )}
    </>
  );
}
