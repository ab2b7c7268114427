import { Field } from '../../controls/field.tsx';
import { Param } from '../../controls/param.tsx';
import { Segmented } from '../../controls/segmented.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { sessionModes } from './session-modes.ts';
import { useSetting } from './use-setting.ts';

/** Edits the session: its mode, and its name or thread id. */
export function SessionSettings() {
  const { draft, chosen } = usePage();
  const [mode] = useSetting('session', 'mode');
  const current = mode ?? 'isolated';
  const modes = sessionModes(chosen.value?.capabilities);
  const member = current === 'thread' ? 'thread_id' : 'key';
  return (
    <>
      <Param label={text('make.session.memory')}>
        <Segmented
          wide
          label={text('make.session.memory')}
          value={current}
          segments={(['isolated', 'persistent', 'thread'] as const)
            .filter((each) => modes.includes(each) || each === current)
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
      {current !== 'isolated' && <SessionName member={member} />}
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
        spellcheck={false}
        autoComplete="off"
        onInput={(next) => set(next === '' ? undefined : next)}
      />
    </Param>
  );
}
