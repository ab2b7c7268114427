import { useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { ForgetDialog } from './token-dialogs.tsx';

const DOTS = { connecting: 'off', connected: '', offline: 'bad', unauthorized: 'warn' } as const;

/**
 * Shows whether the bridge is reachable, and announces changes. The status is a button if the user can act on it. With
 * a token, the button asks whether to forget the token.
 */
export function ConnectionStatus() {
  const { connection } = usePage();
  const [isForgetting, setForgetting] = useState(false);
  const state = connection.state.value;
  const hasToken = connection.token.value !== undefined;
  const action = {
    connecting: undefined,
    connected: hasToken ? () => setForgetting(true) : undefined,
    offline: connection.probe,
    unauthorized: connection.askForToken,
  }[state];
  const label = (
    <>
      <i class={`dot ${DOTS[state]}`} />
      <span class="wide-text">{text(`connection.${state}`)}</span>
    </>
  );
  return (
    <>
      <span role="status">
        {action === undefined ? (
          <span class="status">{label}</span>
        ) : (
          <button
            type="button"
            class="status"
            title={state === 'connected' ? text('token.forget') : undefined}
            onClick={action}
          >
            {label}
          </button>
        )}
      </span>
      {isForgetting && hasToken && <ForgetDialog onClose={() => setForgetting(false)} />}
    </>
  );
}
