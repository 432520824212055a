import { expect } from 'chai'
import { loadConfig } from '../../server/config/config.js'
import { misspeltVariables } from '../../server/config/knownVariables.js'

const secret = `0x${'5e'.repeat(32)}`
const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, secret]))

/** What is set where the service is started, by who sets it. */
const usual: Record<string, Record<string, string>> = {
  'a shell': named(
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'OLDPWD', 'SHLVL', 'TERM', 'LANG', 'LC_ALL', 'TZ', '_'],
    ...['HOSTNAME', 'HOSTTYPE', 'EDITOR', 'MAIL', 'DISPLAY', 'TMPDIR', 'PS1', 'HISTSIZE', 'COLORTERM', 'LS_COLORS'],
    ...['SSH_CONNECTION', 'SSH_TTY', 'SSH_AUTH_SOCK', 'SUDO_USER', 'SUDO_COMMAND', 'XDG_RUNTIME_DIR', 'XDG_DATA_DIRS'],
    ...['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'NO_PROXY', 'SPORT', 'SSL_CERT_FILE', 'BASE_DIR'],
  ),
  systemd: named(
    ...['INVOCATION_ID', 'JOURNAL_STREAM', 'SYSTEMD_EXEC_PID', 'NOTIFY_SOCKET', 'LISTEN_FDS', 'LISTEN_PID', 'MAINPID'],
    ...['STATE_DIRECTORY', 'RUNTIME_DIRECTORY', 'LOGS_DIRECTORY', 'CACHE_DIRECTORY', 'CREDENTIALS_DIRECTORY'],
    ...['CONFIGURATION_DIRECTORY', 'MEMORY_PRESSURE_WATCH', 'WATCHDOG_USEC', 'MANAGERPID', 'DBUS_SESSION_BUS_ADDRESS'],
  ),
  'Node and npm': named(
    ...['NODE', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_VERSION', 'YARN_VERSION', 'INIT_CWD', 'COLOR'],
    ...[
      'npm_command',
      'npm_config_loglevel',
      'npm_config_cache',
      'npm_execpath',
      'npm_lifecycle_event',
      'npm_node_execpath',
    ],
    ...[
      'npm_package_name',
      'npm_package_json',
      'npm_config_user_agent',
      'npm_config_local_prefix',
      'npm_config_prefix',
    ],
  ),
  Docker: {
    ...named('HOSTNAME', 'HOME', 'container', 'DOCKER_HOST', 'DOCKER_CONFIG', 'DB_NAME', 'DB_PORT', 'MYSQL_DATABASE'),
    ...{ MYSQL_HOST: 'db', MARIADB_PORT: 'tcp://172.17.0.2:3306', MARIADB_PORT_3306_TCP_ADDR: '172.17.0.2' },
    // Of a link that is called `solver`.
    ...{
      SOLVER_NAME: '/svc/solver',
      SOLVER_PORT: 'udp://172.17.0.3:53',
      ...named('SOLVER_ENV_PATH', 'SOLVER_ENV_GPG_KEY'),
    },
  },
  'another program': named(
    ...[
      'DATABASE_SSL',
      'DATABASE_UID',
      'METRICS_HOST',
      'MIN_CONNECTIONS',
      'LOG_FILE',
      'DATA_SRC',
      'CHAIN_ID',
      'PROXIES',
    ],
  ),
  'GitHub Actions': named(
    ...['CI', 'GITHUB_ACTIONS', 'GITHUB_WORKSPACE', 'GITHUB_ENV', 'GITHUB_TOKEN', 'GITHUB_REF_TYPE', 'GITHUB_RUN_ID'],
    ...['RUNNER_OS', 'RUNNER_TEMP', 'RUNNER_TOOL_CACHE', 'ImageOS', 'JAVA_HOME', 'GOROOT_1_22_X64', 'CHROMEWEBDRIVER'],
    ...['DEBIAN_FRONTEND', 'ANDROID_HOME', 'AGENT_TOOLSDIRECTORY', 'DEPLOYMENT_BASEPATH', 'RUNNER_TRACKING_ID'],
  ),
  // Of services that are called `solver`, `deployer`, `metrics` and `chains-file`.
  Kubernetes: Object.fromEntries(
    ['KUBERNETES', 'SOLVER', 'DEPLOYER', 'METRICS', 'CHAINS_FILE'].flatMap((service) =>
      Object.entries({
        ...{ SERVICE_HOST: '10.0.0.1', SERVICE_PORT: '443', SERVICE_PORT_HTTPS: '443', PORT: 'tcp://10.0.0.1:443' },
        ...{ PORT_443_TCP: 'tcp://10.0.0.1:443', PORT_443_TCP_PROTO: 'tcp', PORT_443_TCP_PORT: '443' },
        ...{ PORT_443_TCP_ADDR: '10.0.0.1' },
      }).map(([name, value]) => [`${service}_${name}`, value]),
    ),
  ),
}

describe('variables that are not known', () => {
  for (const [place, env] of Object.entries(usual)) {
    it(`are nobody's mistake as ${place} sets them`, () => {
      expect(misspeltVariables(env, '')).to.deep.equal([])
      expect(misspeltVariables(env, '', 'deploy')).to.deep.equal([])
      const loaded = loadConfig(env)
      expect(loaded.ok && loaded.config.metricsPort).to.equal(null)
    })
  }

  it('are told where the place of the right one is taken by what Kubernetes sets', () => {
    const env = { METRICS_PORT: 'tcp://10.0.0.1:443', METRICS_PROT: '9100' }
    expect(misspeltVariables(env, '')).to.deep.equal(['METRICS_PROT: is not known; did you mean METRICS_PORT?'])
    expect(loadConfig({ METRICS_PORT: '10.0.0.1:443' }).ok).to.equal(false)
  })

  it('are told by the program alone that would read the right ones', () => {
    const ofDeployer = named('DEPLOYER_ADDRESS', 'DEPLOYER_PRIVATE_KEY', 'DEPLOYER_RPC_KEY')
    expect(misspeltVariables(ofDeployer, '')).to.deep.equal([])
    const told = misspeltVariables(ofDeployer, '', 'deploy')
    expect(told).to.have.length(3)
    expect(told).to.include('DEPLOYER_PRIVATE_KEY: is not known; did you mean DEPLOYER_PRIVATE_KEYS?')
    const ofService = named('DATABASE_ULR', 'CHAIN_FILE', 'LOGLEVEL')
    expect(misspeltVariables(ofService, '')).to.have.length(3)
    expect(misspeltVariables(ofService, '', 'deploy')).to.deep.equal([])
    expect(misspeltVariables(named('SOLVER_KEY_FILE'), '', 'deploy')).to.have.length(1)
  })

  for (const [name, meant] of [
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['CHAINS_FILES', 'CHAINS_FILE'],
    ['CHAIN_FILE', 'CHAINS_FILE'],
    ['DATADIR', 'DATA_DIR'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['SOLVER_KEY_FILE', 'SOLVER_KEYS_FILE'],
    ['SOVLER_KEYS_FILE', 'SOLVER_KEYS_FILE'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['MAX_CONECTIONS', 'MAX_CONNECTIONS'],
    ['ON_DEMAND_PROOFS', 'ON_DEMAND_PROOF'],
  ] as const) {
    it(`are told, with the one that is near: ${name}`, () => {
      const expected = `${name}: is not known; did you mean ${meant}?`
      expect(misspeltVariables(named(name), '')).to.deep.equal([expected])
    })
  }

  it('are told where they are of keys, however far from a name that is known', () => {
    const [problem, ...more] = misspeltVariables(named('SOLVER_MNEMONIC'), '')
    expect(problem).to.match(/^SOLVER_MNEMONIC: is not known; with SOLVER_ there are SOLVER_PRIVATE_KEYS, /)
    expect(problem).not.to.contain('DEPLOYER').and.not.to.contain(secret)
    expect(more).to.deep.equal([])
    expect(misspeltVariables(named(`SOLVER_PRIVATE_KEYS_${secret}`), '').join()).not.to.contain(secret)
  })

  it('are no mistake where the right one is set too, or they are empty, or the chains file has them filled in', () => {
    expect(misspeltVariables(named('DATABASE_URI', 'DATABASE_URL'), '')).to.deep.equal([])
    expect(misspeltVariables({ DATABASE_URI: '', SOLVER_KEY: '' }, '')).to.deep.equal([])
    // A file that can't be read has filled in nobody knows what.
    const unread = misspeltVariables(named('SOLVER_RPC_KEY', 'SOLVER_KEY_FILE'), null)
    expect(unread).to.deep.equal(['SOLVER_KEY_FILE: is not known; did you mean SOLVER_KEYS_FILE?'])
    const text = '{"rpcUrls":["https://a.example/${SOLVER_RPC_KEY}","${DATABASE_URI}"]}'
    expect(misspeltVariables(named('SOLVER_RPC_KEY', 'DATABASE_URI'), text)).to.deep.equal([])
  })
})
