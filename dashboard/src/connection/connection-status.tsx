import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';

const DOTS = { connecting: 'off', connected: '', offline: 'bad', unauthorized: 'warn' } as const;

/** Whether the bridge is there: always visible, announced when it changes. */
export function ConnectionStatus() {
  const { connection } = usePage();
  const state = connection.state.value;
  return (
    <span class="status" role="status">
      <i class={`dot ${DOTS[state]}`} />
      <span class="wide-text">{text(`connection.${state}`)}</span>
    </span>
  );
}
