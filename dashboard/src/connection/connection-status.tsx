import { useEffect, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { text } from '../text/text.ts';

const TokenForm = lazyView(async () => (await import('./token-form.tsx')).TokenForm);
const ForgetDialog = lazyView(async () => (await import('./forget-dialog.tsx')).ForgetDialog);

const DOTS = { connecting: 'off', connected: '', offline: 'bad', unauthorized: 'warn' } as const;

/** Shows whether the bridge is reachable. The status is a button if the user can act on it. */
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
          <span class="tab">{label}</span>
        ) : (
          <button
            type="button"
            class="tab"
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

/** Shows in a view without the top bar that the bridge is not reachable, or that it requires a token. */
export function ConnectionNotice() {
  const { value: state } = usePage().connection.state;
  return state === 'offline' || state === 'unauthorized' ? <ConnectionStatus /> : null;
}

/** Asks for the bearer token that the bridge requires. The status in the top bar opens a postponed dialog again. */
export function TokenDialog() {
  const { connection, tokenRetry } = usePage();
  const [isPutOff, setPutOff] = useState(false);
  const [tried, setTried] = useState<string>();
  const state = connection.state.value;
  const asks = connection.asksForToken.value;
  useEffect(() => {
    if (state !== 'connected') return;
    setPutOff(false);
    setTried(undefined);
  }, [state]);
  useEffect(() => setPutOff(false), [asks]);

  function use(token: string | undefined): void {
    setTried(token);
    connection.setToken(token);
  }

  if (isPutOff || (state !== 'unauthorized' && tried === undefined)) return null;
  return (
    <TokenForm
      isRefused={tried !== undefined && state === 'unauthorized'}
      retry={tokenRetry.isWorthTrying ? tokenRetry.run : undefined}
      onForget={connection.token.value === undefined ? undefined : () => use(undefined)}
      onPutOff={() => setPutOff(true)}
      onToken={use}
    />
  );
}
