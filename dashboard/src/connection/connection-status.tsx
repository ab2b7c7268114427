import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';

const DOTS = { connecting: 'off', connected: '', offline: 'bad', unauthorized: 'warn' } as const;

/** Whether the bridge is there: always visible, announced when it changes; where something can be done, a button. */
export function ConnectionStatus() {
  const { connection } = usePage();
  const state = connection.state.value;
  const label = (
    <>
      <i class={`dot ${DOTS[state]}`} />
      <span class="wide-text">{text(`connection.${state}`)}</span>
    </>
  );
  return (
    <span role="status">
      {state === 'offline' || state === 'unauthorized' ? (
        <button
          type="button"
          class="status"
          onClick={state === 'offline' ? connection.probe : connection.askForToken}
        >
          {label}
        </button>
      ) : (
        <span class="status">{label}</span>
      )}
    </span>
  );
}
