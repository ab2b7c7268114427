import { Check, ChevronsUpDown } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { Provider } from '../api/schemas.ts';
import { Icon } from '../controls/icon.tsx';
import { Menu, MenuItem } from '../controls/menu.tsx';
import { usePage } from '../page-context.ts';
import { hasLogin, type ProviderState } from '../providers/providers.ts';
import { text } from '../text/text.ts';
import { isRehearsal, isRehearsedFailure, toAbilities } from './model-abilities.ts';
import './model-picker.css';

/** Chooses the model. The list is grouped by provider, with the reason why a provider cannot be used. */
export function ModelPicker() {
  const { chosen, readiness } = usePage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const current = chosen.value;
  const state = current && readiness.providers.value.get(current.provider.name);
  const dot = state && !state.ready ? 'dot warn' : 'dot';
  return (
    <section class="model-picker">
      <h3 id="model-title">{text('make.model')}</h3>
      <button
        ref={button}
        type="button"
        class="model"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-describedby="model-title"
        onClick={() => {
          void readiness.read();
          setOpen(!isOpen);
        }}
      >
        <b>
          <i class={dot} />
          <span class="cut">{current?.model ?? text('make.model.loading')}</span>
          <span class="faint cut">{current?.provider.display_name}</span>
        </b>
        <Icon of={ChevronsUpDown} />
        <span class="abilities cut">
          {current?.capabilities ? toAbilities(current.capabilities) : ' '}
        </span>
      </button>
      {isOpen && (
        <Menu
          anchor={button}
          class="model-menu"
          role="listbox"
          label={text('make.model')}
          onClose={() => setOpen(false)}
        >
          <ModelOptions
            onChosen={() => {
              setOpen(false);
              button.current?.focus();
            }}
          />
        </Menu>
      )}
    </section>
  );
}

function ModelOptions({ onChosen }: { readonly onChosen: () => void }) {
  const { value: list = [] } = usePage().providers.list;
  return (
    <>
      {list.map((provider) => (
        <div key={provider.name} role="group" aria-label={provider.display_name}>
          <p class="menu-head">{provider.display_name}</p>
          {provider.models
            .filter((model) => !isRehearsedFailure(model))
            .map((model) => (
              <ModelOption key={model} provider={provider} model={model} onChosen={onChosen} />
            ))}
        </div>
      ))}
      {list.map((provider) => (
        <RehearsedFailures key={provider.name} provider={provider} onChosen={onChosen} />
      ))}
    </>
  );
}

/** Lists the models of the sandbox that fail on purpose, for developers who test against the bridge. */
function RehearsedFailures({ provider, onChosen }: Omit<OptionProps, 'model'>) {
  const models = provider.models.filter(isRehearsedFailure);
  if (models.length === 0) return null;
  return (
    <div role="group" aria-label={text('make.model.failures')}>
      <p class="menu-head">{text('make.model.failures')}</p>
      {models.map((model) => (
        <ModelOption key={model} provider={provider} model={model} onChosen={onChosen} />
      ))}
    </div>
  );
}

interface OptionProps {
  readonly provider: Provider;
  readonly model: string;
  readonly onChosen: () => void;
}

function ModelOption({ provider, model, onChosen }: OptionProps) {
  const { chosen, draft, providers, readiness } = usePage();
  const state = readiness.providers.value.get(provider.name);
  const document = providers.capabilities(provider.name, model).value;
  const abilities = document && !isRehearsedFailure(model) && toAbilities(document);
  const isDefault = provider.default && model === provider.default_model;
  const current = chosen.value;
  const isCurrent = current?.provider.name === provider.name && current.model === model;
  const isUnready = state !== undefined && !state.ready;
  return (
    <MenuItem
      role="option"
      selected={isCurrent}
      disabled={isUnready}
      {...(isCurrent && { icon: Check })}
      end={
        isDefault
          ? text('make.model.default')
          : isRehearsal(provider.name) && text('make.model.rehearsal')
      }
      detail={isUnready ? notReady(state) : abilities}
      onChoose={() => {
        const { provider: _, model: __, ...rest } = draft.settings.peek().routing ?? {};
        draft.change({ routing: isDefault ? rest : { ...rest, provider: provider.name, model } });
        onChosen();
      }}
    >
      {model}
    </MenuItem>
  );
}

function notReady({ name, error_code: code }: ProviderState): string {
  if (code === 'authentication') {
    return hasLogin(name) ? text('make.model.needsLogin') : text('make.model.needsKey');
  }
  return code === 'configuration' ? text('make.model.notSetUp') : text('make.model.notReady');
}
