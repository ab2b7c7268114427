import { Eye, EyeOff, KeyRound } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { Field } from '../controls/inputs.tsx';
import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { text } from '../text/text.ts';
import './token-dialogs.css';

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

/** Asks for the bearer token that the bridge requires. The status in the top bar opens a postponed dialog again. */
export function TokenDialog() {
  const { connection } = usePage();
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
    <Dialog title={text('token.title')} onClose={() => setPutOff(true)}>
      <TokenForm
        isRefused={tried !== undefined && state === 'unauthorized'}
        onForget={connection.token.value === undefined ? undefined : () => use(undefined)}
        onPutOff={() => setPutOff(true)}
        onToken={use}
      />
    </Dialog>
  );
}

interface FormProps {
  readonly isRefused: boolean;
  readonly onToken: (token: string) => void;
  readonly onPutOff: () => void;
  /** Undefined if the tab has no token. */
  readonly onForget: (() => void) | undefined;
}

function TokenForm({ isRefused, onToken, onPutOff, onForget }: FormProps) {
  const [token, setToken] = useState('');
  const [isShown, setShown] = useState(false);
  // A header can contain only visible ASCII characters, so any other character in a token is a copying mistake.
  const isBad = token !== '' && !/^[\x21-\x7e]+$/.test(token.trim());
  return (
    <form
      class="token-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== '' && !isBad) onToken(token.trim());
      }}
    >
      <p class="soft">{text('token.text')}</p>
      <Field
        label={text('token.label')}
        type={isShown ? 'text' : 'password'}
        value={token}
        bad={isBad || isRefused}
        aria-describedby="token-note"
        onInput={setToken}
        before={<Icon of={KeyRound} />}
        after={
          <IconButton
            small
            icon={isShown ? EyeOff : Eye}
            label={text(isShown ? 'token.hide' : 'token.show')}
            onClick={() => setShown(!isShown)}
          />
        }
      />
      <p id="token-note" class="bad" role="alert">
        {isBad ? text('token.characters') : isRefused && text('token.refused')}
      </p>
      <div class="ends">
        {onForget && (
          <Button look="quiet" onClick={onForget}>
            {text('token.forget')}
          </Button>
        )}
        <Button look="quiet" onClick={onPutOff}>
          {text('token.notNow')}
        </Button>
        <Button look="primary" type="submit" disabled={token.trim() === '' || isBad}>
          {text('token.connect')}
        </Button>
      </div>
    </form>
  );
}
