import { Search } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, Icon } from '../../controls/button.tsx';
import { Field } from '../../controls/inputs.tsx';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { BreakableName } from '../breakable-name.tsx';
import { findOrigins, type Origin, splitOrigins } from './find-origins.ts';
import './configuration-box.css';

/** Shows where each setting comes from. Changed settings come first. */
export function ConfigurationBox({ origins }: { readonly origins: readonly Origin[] }) {
  const [search, setSearch] = useState('');
  const [isLong, setLong] = useState(false);
  const { changed, untouched } = splitOrigins(origins);
  const isSearch = search.trim() !== '';
  const shown = isSearch || isLong ? findOrigins(origins, search) : changed;
  const counts = text('system.configuration.changed', {
    changed: changed.length,
    all: origins.length,
  });
  return (
    <Box
      id="configuration"
      class="configuration-box"
      title={text('system.configuration')}
      end={<span class="num faint">{counts}</span>}
    >
      <Field
        type="search"
        label={text('system.configuration.search')}
        placeholder={text('system.configuration.search')}
        value={search}
        before={<Icon of={Search} small />}
        onInput={setSearch}
      />
      {shown.length > 0 ? (
        <Origins origins={shown} />
      ) : (
        <p class="soft" role="status">
          {text(isSearch ? 'system.configuration.none' : 'system.configuration.unchanged')}
        </p>
      )}
      {!isSearch && (
        <Button look="quiet" size="small" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong
            ? text('action.showFewer')
            : text('system.configuration.more', { count: untouched.length })}
        </Button>
      )}
    </Box>
  );
}

function Origins({ origins }: { readonly origins: readonly Origin[] }) {
  return (
    <ScrollRegion class="origins" label={text('system.configuration')}>
      <dl>
        {origins.map(({ field, source }) => (
          <div key={field}>
            <dt>
              <BreakableName name={field} />
            </dt>
            <dd class={source}>{text(`system.origin.${source}`)}</dd>
          </div>
        ))}
      </dl>
    </ScrollRegion>
  );
}
