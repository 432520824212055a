/* Made by scripts/contracts.ts from server/contracts; do not edit. */

export const delegateAbi = [
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "data",
        "type": "bytes"
      },
      {
        "internalType": "bytes",
        "name": "errorMessage",
        "type": "bytes"
      }
    ],
    "name": "CallReverted",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes",
        "name": "intentSignature",
        "type": "bytes"
      },
      {
        "internalType": "bytes32",
        "name": "chainBatchHash",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "chainBatchId",
        "type": "bytes32"
      }
    ],
    "name": "DuplicateChainBatch",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "currentTime",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "exp",
        "type": "uint256"
      }
    ],
    "name": "IntentExpired",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "currentTime",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "nbf",
        "type": "uint256"
      }
    ],
    "name": "IntentTooEarly",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "actual",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "expected",
        "type": "uint256"
      }
    ],
    "name": "InvalidChainId",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "string",
        "name": "signatureType",
        "type": "string"
      },
      {
        "internalType": "address",
        "name": "recovered",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "expected",
        "type": "address"
      }
    ],
    "name": "InvalidSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "string",
        "name": "signatureType",
        "type": "string"
      }
    ],
    "name": "InvalidSignatureType",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "caller",
        "type": "address"
      }
    ],
    "name": "OnlySelf",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "chainBatchId",
        "type": "bytes32"
      }
    ],
    "name": "ChainBatchExecuted",
    "type": "event"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "string",
            "name": "signatureType",
            "type": "string"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          },
          {
            "internalType": "uint256",
            "name": "nbf",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "exp",
            "type": "uint256"
          },
          {
            "components": [
              {
                "internalType": "bytes32",
                "name": "hash",
                "type": "bytes32"
              },
              {
                "internalType": "uint256",
                "name": "chainId",
                "type": "uint256"
              },
              {
                "components": [
                  {
                    "internalType": "address",
                    "name": "to",
                    "type": "address"
                  },
                  {
                    "internalType": "uint256",
                    "name": "value",
                    "type": "uint256"
                  },
                  {
                    "internalType": "bytes",
                    "name": "data",
                    "type": "bytes"
                  }
                ],
                "internalType": "struct Call[]",
                "name": "calls",
                "type": "tuple[]"
              }
            ],
            "internalType": "struct ChainBatch[]",
            "name": "chainBatches",
            "type": "tuple[]"
          }
        ],
        "internalType": "struct Intent",
        "name": "intent",
        "type": "tuple"
      }
    ],
    "name": "execute",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "executedBatches",
        "type": "uint256"
      }
    ],
    "stateMutability": "payable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "chainBatchId",
        "type": "bytes32"
      }
    ],
    "name": "isChainBatchProcessed",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "hash",
        "type": "bytes32"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "isValidSignature",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "uint256[]",
        "name": "",
        "type": "uint256[]"
      },
      {
        "internalType": "uint256[]",
        "name": "",
        "type": "uint256[]"
      },
      {
        "internalType": "bytes",
        "name": "",
        "type": "bytes"
      }
    ],
    "name": "onERC1155BatchReceived",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "",
        "type": "bytes"
      }
    ],
    "name": "onERC1155Received",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "",
        "type": "bytes"
      }
    ],
    "name": "onERC721Received",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "to",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "value",
            "type": "uint256"
          },
          {
            "internalType": "bytes",
            "name": "data",
            "type": "bytes"
          }
        ],
        "internalType": "struct Call[]",
        "name": "calls",
        "type": "tuple[]"
      }
    ],
    "name": "selfExecute",
    "outputs": [],
    "stateMutability": "payable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes4",
        "name": "id",
        "type": "bytes4"
      }
    ],
    "name": "supportsInterface",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "stateMutability": "payable",
    "type": "receive"
  }
] as const

export const delegateBytecode = '0x608080604052346015576117e0908161001a8239f35b5f80fdfe608080604052600436101561001c575b50361561001a575f80fd5b005b5f3560e01c90816301ffc9a714610d7a575080630bb27723146104a9578063150b7a021461041c5780631626ba7e146102b657806381da69ef14610230578063984e2df8146101e2578063bc197c81146101115763f23a6e6114610080575f61000f565b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576100b7610e98565b506100c0610ebb565b5060843567ffffffffffffffff811161010d576100e1903690600401610ede565b505060206040517ff23a6e61000000000000000000000000000000000000000000000000000000008152f35b5f80fd5b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610148610e98565b50610151610ebb565b5060443567ffffffffffffffff811161010d57610172903690600401610f0c565b505060643567ffffffffffffffff811161010d57610194903690600401610f0c565b505060843567ffffffffffffffff811161010d576101b6903690600401610ede565b505060206040517fbc197c81000000000000000000000000000000000000000000000000000000008152f35b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576020610226600435610221611108565b61167d565b6040519015158152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760043567ffffffffffffffff811161010d5761027a903690600401610f0c565b30330361028a5761001a916114c8565b7fa19dbf00000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461010d5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760243567ffffffffffffffff811161010d57610305903690600401610ede565b61030e816110ce565b9061031c6040519283611060565b808252368184011161010d576020815f92610341958386013783010152600435611643565b5060048110156103ef571590816103cf575b50156103a75760207f1626ba7e000000000000000000000000000000000000000000000000000000005b7fffffffff0000000000000000000000000000000000000000000000000000000060405191168152f35b60207fffffffff0000000000000000000000000000000000000000000000000000000061037d565b73ffffffffffffffffffffffffffffffffffffffff163014905081610353565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b3461010d5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610453610e98565b5061045c610ebb565b5060643567ffffffffffffffff811161010d5761047d903690600401610ede565b505060206040517f150b7a02000000000000000000000000000000000000000000000000000000008152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760043567ffffffffffffffff811161010d57806004019060a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc823603011261010d575f91604482013590814210610d4a57606483013591824211610d1a5761053c8280610fd1565b949085816040513760405190868220967fdc5027509ceaf861f50e4b13bca75b310e6c7863bfa6dc1e135664806d01957a88149788159081610cef575b50610cb1575050506024810194916084906105948786610fd1565b92909301926105a38487610f3d565b9290956105bf8490604051828193825260010160051b01604052565b906041946001985f915b808310610a7c575050505f1461098f576042918160206080935160051b910120604051917f150c77ac76656fd60d63a7a4123c1d97fc7f55d497cb688dc00b8bd1ac32e6d2835260208301528a604083015260608201522060405160208101907fb03948446334eb9b2196d5eb166f69b9d49403eb4a12f36de8d3f9f3cb8e15c382527f8315f3ae4fc38056c1d9b3d34f9f004eeebe22e0dbbd9f977d408ef2af4d748960408201527fc89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc66060820152606081526106a7608082611060565b51902090604051917f1901000000000000000000000000000000000000000000000000000000000000835260028301526022820152209283955b5f9381610985575b50610914575b505073ffffffffffffffffffffffffffffffffffffffff9150163081036108bb575084848461071f899482610f3d565b9590935f965b80881061073757602087604051908152f35b909192939495610748888389610f91565b6107556040820182610f3d565b9081156108af5760208301354681036108805750865f528a60205260405f2092610788428b86610783611108565b611179565b15610824575090610798916114c8565b7f1cb3b980aac9f55d8929ec9cdd60a610f1ca3ee64c37fa20cf40a5b2368f732a5f80a27fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81146107f7576001809101975b0196959493929190610725565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b8390610830888b610fd1565b9190926108706040519485947fbbc12980000000000000000000000000000000000000000000000000000000008652606060048701526064860191611022565b9135602484015260448301520390fd5b7f9fba672f000000000000000000000000000000000000000000000000000000005f524660045260245260445ffd5b505050966001906107ea565b6108c58480610fd1565b90916109046040519384937f6d221b40000000000000000000000000000000000000000000000000000000008552606060048601526064850191611022565b9060248301523060448301520390fd5b909150604010156109585773ffffffffffffffffffffffffffffffffffffffff9181602061094f930135916040823592013560f81c90611719565b505088806106ef565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b905081148b6106e9565b906040519081602081019360808552600560a08301527f656364736100000000000000000000000000000000000000000000000000000060c083015260e082019260408301528b606083015260c060808301528051809352602061010083019101925f5b818110610a63575050610a2d9250037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611060565b519020927f19457468657265756d205369676e6564204d6573736167653a0a3332000000005f5283601c52603c5f2093956106e1565b84518352602094850194869450909201916001016109f3565b90919699610a8b888385610f91565b610a986040820182610f3d565b8291923592838c60010160051b8a01528115610ca3578715610be85784610ad7575b5050505099602081018091116107f757600190975b0191906105c9565b9091929350610af58290604051828193825260010160051b01604052565b915f5b818110610b5957505050908160206080935160051b9101206020604051927fdf2e62fd2f4e6dfefc8f482b72c56c15147f4f5c52f70ddd6e5c3391526e80c68452013560208301528d8a01356040830152606082015220148f808080610aba565b806080610b696001938587610f91565b610b766040820182610fd1565b8092916040513760206040519283209173ffffffffffffffffffffffffffffffffffffffff610ba4826114a7565b167f9085b19ea56248c94d86174b3784cfaaa8673d1041d6441f61ff52752dac84838552828501520135604083015260608201522081830160051b86015201610af8565b84939291949e9b9e93610c03575b505050600191509a610acf565b909192507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8401908482116107f7578481601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0610c73610c6960609760019b86610f91565b6040810190610fd1565b929092011601039182916020604051960135865260406020870152604086015283850137019020145f8080610bf6565b505050509996600190610acf565b8291610ceb917fe9bc2653000000000000000000000000000000000000000000000000000000008452602060048501526024840191611022565b0390fd5b7fac75a10e130d0f4ed84689c63c0069adff9123d68aa5a7a04b227160e00c10a8915014158a610579565b827f6f08ee6e000000000000000000000000000000000000000000000000000000005f524260045260245260445ffd5b507f3433dad4000000000000000000000000000000000000000000000000000000005f524260045260245260445ffd5b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361010d57817f01ffc9a70000000000000000000000000000000000000000000000000000000060209314908115610e6e575b8115610e44575b8115610e1a575b5015158152f35b7f1626ba7e0000000000000000000000000000000000000000000000000000000091501483610e13565b7f4e2312e00000000000000000000000000000000000000000000000000000000081149150610e0c565b7f150b7a020000000000000000000000000000000000000000000000000000000081149150610e05565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020838186019501011161010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020808501948460051b01011161010d57565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d57602001918160051b3603831361010d57565b91908110156109585760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18136030182121561010d570190565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d5760200191813603831361010d57565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176110a157604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b67ffffffffffffffff81116110a157601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0060405160208101907fe907f119ab8bb0222b4baaa4f0b90add0cd81a3bb5149d5b1c9e63fb27372a52825260208152611163604082611060565b5190201690565b60048210156109585701905f90565b909291928360081c9262ffffff84116114605760089493941c927fffffffffffffffffffffffffffffffffffffffffffffffffffe00000000000008260cb1c91602d1b1617936004945f945f915f915b60048310611333575b5050508061131b575b611312575f5b85811061127b575050600484101561123c5750611237926112019161116a565b9091907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83549160031b92831b921b1916179055565b600190565b909150600492505f520160205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055600190565b806112886001928661116a565b90549060031b1c8362ffffff8216106112a3575b50016111e1565b61130c907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff000000856112d3858a61116a565b9290931617907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83549160031b92831b921b1916179055565b5f61129c565b50505050505f90565b50815f526004830160205260ff60405f2054166111db565b90919250611341838761116a565b90549060031b1c82691fffffffffffffffffff8260181c16148015611448575b8015611430575b61142357819060048a146113a4575b62ffffff1610928315938061139a575b6113955760010191906111c9565b6111d2565b5060048910611387565b90505f8262ffffff83604d1c16105f146113f2575060185b806113ca575b508190611377565b9197509750691fffffffffffffffffff82821b911b19881617958062ffffff849991506113c2565b8262ffffff83609a1c16105f1461140b575060656113bc565b8262ffffff8360e71c1610156113bc575060b26113bc565b5050505050505050505f90565b5082691fffffffffffffffffff8260b21c1614611368565b5082691fffffffffffffffffff8260651c1614611361565b505f9081526004919091016020526040902080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00811660011790915560ff161592915050565b3573ffffffffffffffffffffffffffffffffffffffff8116810361010d5790565b91905f5b8181106114d95750509050565b6114e4818386610f91565b6114ed816114a7565b60208201355f806040850193836115048688610fd1565b9190826040519384928337810185815203925af1913d1561163b573d9261152a846110ce565b936115386040519586611060565b84523d5f602086013e5b1561155357505050506001016114cc565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60206115f487956115a783986115a173ffffffffffffffffffffffffffffffffffffffff9b6114a7565b98610fd1565b90916040519a8b997f863d2b4f000000000000000000000000000000000000000000000000000000008b523060048c01521660248a0152604489015260a0606489015260a4880191611022565b937ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8686030160848701528051918291828752018786015e5f868286010152011601030190fd5b606092611542565b81519190604183036116735761166c9250602082015190606060408401519301515f1a90611719565b9192909190565b50505f9160029190565b90805f526004820160205260ff60405f205416611712575f5b600481106116a5575050505f90565b6116af818461116a565b90549060031b1c826116c4818360181c6117b3565b9182156116fd575b82156116e9575b50506116e157600101611696565b505050600190565b6116f6925060b21c6117b3565b825f6116d3565b915061170c818360651c6117b3565b916116cc565b5050600190565b91907f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a084116117a8579160209360809260ff5f9560405194855216868401526040830152606082015282805260015afa1561179d575f5173ffffffffffffffffffffffffffffffffffffffff81161561179357905f905f90565b505f906001905f90565b6040513d5f823e3d90fd5b5050505f9160039190565b691fffffffffffffffffff8116151591826117cd57505090565b661fffffffffffff925060cb1c1816159056' as const

export const delegateRuntime = '0x608080604052600436101561001c575b50361561001a575f80fd5b005b5f3560e01c90816301ffc9a714610d7a575080630bb27723146104a9578063150b7a021461041c5780631626ba7e146102b657806381da69ef14610230578063984e2df8146101e2578063bc197c81146101115763f23a6e6114610080575f61000f565b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576100b7610e98565b506100c0610ebb565b5060843567ffffffffffffffff811161010d576100e1903690600401610ede565b505060206040517ff23a6e61000000000000000000000000000000000000000000000000000000008152f35b5f80fd5b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610148610e98565b50610151610ebb565b5060443567ffffffffffffffff811161010d57610172903690600401610f0c565b505060643567ffffffffffffffff811161010d57610194903690600401610f0c565b505060843567ffffffffffffffff811161010d576101b6903690600401610ede565b505060206040517fbc197c81000000000000000000000000000000000000000000000000000000008152f35b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576020610226600435610221611108565b61167d565b6040519015158152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760043567ffffffffffffffff811161010d5761027a903690600401610f0c565b30330361028a5761001a916114c8565b7fa19dbf00000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461010d5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760243567ffffffffffffffff811161010d57610305903690600401610ede565b61030e816110ce565b9061031c6040519283611060565b808252368184011161010d576020815f92610341958386013783010152600435611643565b5060048110156103ef571590816103cf575b50156103a75760207f1626ba7e000000000000000000000000000000000000000000000000000000005b7fffffffff0000000000000000000000000000000000000000000000000000000060405191168152f35b60207fffffffff0000000000000000000000000000000000000000000000000000000061037d565b73ffffffffffffffffffffffffffffffffffffffff163014905081610353565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b3461010d5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610453610e98565b5061045c610ebb565b5060643567ffffffffffffffff811161010d5761047d903690600401610ede565b505060206040517f150b7a02000000000000000000000000000000000000000000000000000000008152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760043567ffffffffffffffff811161010d57806004019060a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc823603011261010d575f91604482013590814210610d4a57606483013591824211610d1a5761053c8280610fd1565b949085816040513760405190868220967fdc5027509ceaf861f50e4b13bca75b310e6c7863bfa6dc1e135664806d01957a88149788159081610cef575b50610cb1575050506024810194916084906105948786610fd1565b92909301926105a38487610f3d565b9290956105bf8490604051828193825260010160051b01604052565b906041946001985f915b808310610a7c575050505f1461098f576042918160206080935160051b910120604051917f150c77ac76656fd60d63a7a4123c1d97fc7f55d497cb688dc00b8bd1ac32e6d2835260208301528a604083015260608201522060405160208101907fb03948446334eb9b2196d5eb166f69b9d49403eb4a12f36de8d3f9f3cb8e15c382527f8315f3ae4fc38056c1d9b3d34f9f004eeebe22e0dbbd9f977d408ef2af4d748960408201527fc89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc66060820152606081526106a7608082611060565b51902090604051917f1901000000000000000000000000000000000000000000000000000000000000835260028301526022820152209283955b5f9381610985575b50610914575b505073ffffffffffffffffffffffffffffffffffffffff9150163081036108bb575084848461071f899482610f3d565b9590935f965b80881061073757602087604051908152f35b909192939495610748888389610f91565b6107556040820182610f3d565b9081156108af5760208301354681036108805750865f528a60205260405f2092610788428b86610783611108565b611179565b15610824575090610798916114c8565b7f1cb3b980aac9f55d8929ec9cdd60a610f1ca3ee64c37fa20cf40a5b2368f732a5f80a27fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81146107f7576001809101975b0196959493929190610725565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b8390610830888b610fd1565b9190926108706040519485947fbbc12980000000000000000000000000000000000000000000000000000000008652606060048701526064860191611022565b9135602484015260448301520390fd5b7f9fba672f000000000000000000000000000000000000000000000000000000005f524660045260245260445ffd5b505050966001906107ea565b6108c58480610fd1565b90916109046040519384937f6d221b40000000000000000000000000000000000000000000000000000000008552606060048601526064850191611022565b9060248301523060448301520390fd5b909150604010156109585773ffffffffffffffffffffffffffffffffffffffff9181602061094f930135916040823592013560f81c90611719565b505088806106ef565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b905081148b6106e9565b906040519081602081019360808552600560a08301527f656364736100000000000000000000000000000000000000000000000000000060c083015260e082019260408301528b606083015260c060808301528051809352602061010083019101925f5b818110610a63575050610a2d9250037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611060565b519020927f19457468657265756d205369676e6564204d6573736167653a0a3332000000005f5283601c52603c5f2093956106e1565b84518352602094850194869450909201916001016109f3565b90919699610a8b888385610f91565b610a986040820182610f3d565b8291923592838c60010160051b8a01528115610ca3578715610be85784610ad7575b5050505099602081018091116107f757600190975b0191906105c9565b9091929350610af58290604051828193825260010160051b01604052565b915f5b818110610b5957505050908160206080935160051b9101206020604051927fdf2e62fd2f4e6dfefc8f482b72c56c15147f4f5c52f70ddd6e5c3391526e80c68452013560208301528d8a01356040830152606082015220148f808080610aba565b806080610b696001938587610f91565b610b766040820182610fd1565b8092916040513760206040519283209173ffffffffffffffffffffffffffffffffffffffff610ba4826114a7565b167f9085b19ea56248c94d86174b3784cfaaa8673d1041d6441f61ff52752dac84838552828501520135604083015260608201522081830160051b86015201610af8565b84939291949e9b9e93610c03575b505050600191509a610acf565b909192507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8401908482116107f7578481601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0610c73610c6960609760019b86610f91565b6040810190610fd1565b929092011601039182916020604051960135865260406020870152604086015283850137019020145f8080610bf6565b505050509996600190610acf565b8291610ceb917fe9bc2653000000000000000000000000000000000000000000000000000000008452602060048501526024840191611022565b0390fd5b7fac75a10e130d0f4ed84689c63c0069adff9123d68aa5a7a04b227160e00c10a8915014158a610579565b827f6f08ee6e000000000000000000000000000000000000000000000000000000005f524260045260245260445ffd5b507f3433dad4000000000000000000000000000000000000000000000000000000005f524260045260245260445ffd5b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361010d57817f01ffc9a70000000000000000000000000000000000000000000000000000000060209314908115610e6e575b8115610e44575b8115610e1a575b5015158152f35b7f1626ba7e0000000000000000000000000000000000000000000000000000000091501483610e13565b7f4e2312e00000000000000000000000000000000000000000000000000000000081149150610e0c565b7f150b7a020000000000000000000000000000000000000000000000000000000081149150610e05565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020838186019501011161010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020808501948460051b01011161010d57565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d57602001918160051b3603831361010d57565b91908110156109585760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18136030182121561010d570190565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d5760200191813603831361010d57565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176110a157604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b67ffffffffffffffff81116110a157601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0060405160208101907fe907f119ab8bb0222b4baaa4f0b90add0cd81a3bb5149d5b1c9e63fb27372a52825260208152611163604082611060565b5190201690565b60048210156109585701905f90565b909291928360081c9262ffffff84116114605760089493941c927fffffffffffffffffffffffffffffffffffffffffffffffffffe00000000000008260cb1c91602d1b1617936004945f945f915f915b60048310611333575b5050508061131b575b611312575f5b85811061127b575050600484101561123c5750611237926112019161116a565b9091907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83549160031b92831b921b1916179055565b600190565b909150600492505f520160205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055600190565b806112886001928661116a565b90549060031b1c8362ffffff8216106112a3575b50016111e1565b61130c907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff000000856112d3858a61116a565b9290931617907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff83549160031b92831b921b1916179055565b5f61129c565b50505050505f90565b50815f526004830160205260ff60405f2054166111db565b90919250611341838761116a565b90549060031b1c82691fffffffffffffffffff8260181c16148015611448575b8015611430575b61142357819060048a146113a4575b62ffffff1610928315938061139a575b6113955760010191906111c9565b6111d2565b5060048910611387565b90505f8262ffffff83604d1c16105f146113f2575060185b806113ca575b508190611377565b9197509750691fffffffffffffffffff82821b911b19881617958062ffffff849991506113c2565b8262ffffff83609a1c16105f1461140b575060656113bc565b8262ffffff8360e71c1610156113bc575060b26113bc565b5050505050505050505f90565b5082691fffffffffffffffffff8260b21c1614611368565b5082691fffffffffffffffffff8260651c1614611361565b505f9081526004919091016020526040902080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00811660011790915560ff161592915050565b3573ffffffffffffffffffffffffffffffffffffffff8116810361010d5790565b91905f5b8181106114d95750509050565b6114e4818386610f91565b6114ed816114a7565b60208201355f806040850193836115048688610fd1565b9190826040519384928337810185815203925af1913d1561163b573d9261152a846110ce565b936115386040519586611060565b84523d5f602086013e5b1561155357505050506001016114cc565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60206115f487956115a783986115a173ffffffffffffffffffffffffffffffffffffffff9b6114a7565b98610fd1565b90916040519a8b997f863d2b4f000000000000000000000000000000000000000000000000000000008b523060048c01521660248a0152604489015260a0606489015260a4880191611022565b937ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8686030160848701528051918291828752018786015e5f868286010152011601030190fd5b606092611542565b81519190604183036116735761166c9250602082015190606060408401519301515f1a90611719565b9192909190565b50505f9160029190565b90805f526004820160205260ff60405f205416611712575f5b600481106116a5575050505f90565b6116af818461116a565b90549060031b1c826116c4818360181c6117b3565b9182156116fd575b82156116e9575b50506116e157600101611696565b505050600190565b6116f6925060b21c6117b3565b825f6116d3565b915061170c818360651c6117b3565b916116cc565b5050600190565b91907f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a084116117a8579160209360809260ff5f9560405194855216868401526040830152606082015282805260015afa1561179d575f5173ffffffffffffffffffffffffffffffffffffffff81161561179357905f905f90565b505f906001905f90565b6040513d5f823e3d90fd5b5050505f9160039190565b691fffffffffffffffffff8116151591826117cd57505090565b661fffffffffffff925060cb1c1816159056' as const

export const solverVaultAbi = [
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "AccountNotDelegated",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "stepKey",
        "type": "bytes32"
      }
    ],
    "name": "AlreadyFulfilled",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "BatchNotExecuted",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      }
    ],
    "name": "InvalidRecipient",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "caller",
        "type": "address"
      }
    ],
    "name": "NotOperator",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "caller",
        "type": "address"
      }
    ],
    "name": "OnlySelf",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "cap",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "wanted",
        "type": "uint256"
      }
    ],
    "name": "OutflowCapExceeded",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "OwnableInvalidOwner",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "OwnableUnauthorizedAccount",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "OwnerRequired",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "Paused",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ReentrancyGuardReentrantCall",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "TokenTransferFailed",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "expected",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "actual",
        "type": "uint256"
      }
    ],
    "name": "TransferAmountMismatch",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "stepKey",
        "type": "bytes32"
      }
    ],
    "name": "Fulfilled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "NativeReceived",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "operator",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "bool",
        "name": "allowed",
        "type": "bool"
      }
    ],
    "name": "OperatorSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "cap",
        "type": "uint256"
      }
    ],
    "name": "OutflowCapSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "previousOwner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "OwnershipTransferStarted",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "previousOwner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "OwnershipTransferred",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "bool",
        "name": "paused",
        "type": "bool"
      }
    ],
    "name": "PausedSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "bytes",
        "name": "reason",
        "type": "bytes"
      }
    ],
    "name": "StepFailed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      }
    ],
    "name": "StepSkipped",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "Withdrawn",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "acceptOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "stepKey",
        "type": "bytes32"
      },
      {
        "components": [
          {
            "internalType": "address",
            "name": "to",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "amount",
            "type": "uint256"
          }
        ],
        "internalType": "struct SolverVault.Transfer[]",
        "name": "transfers",
        "type": "tuple[]"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "components": [
          {
            "internalType": "string",
            "name": "signatureType",
            "type": "string"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          },
          {
            "internalType": "uint256",
            "name": "nbf",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "exp",
            "type": "uint256"
          },
          {
            "components": [
              {
                "internalType": "bytes32",
                "name": "hash",
                "type": "bytes32"
              },
              {
                "internalType": "uint256",
                "name": "chainId",
                "type": "uint256"
              },
              {
                "components": [
                  {
                    "internalType": "address",
                    "name": "to",
                    "type": "address"
                  },
                  {
                    "internalType": "uint256",
                    "name": "value",
                    "type": "uint256"
                  },
                  {
                    "internalType": "bytes",
                    "name": "data",
                    "type": "bytes"
                  }
                ],
                "internalType": "struct Call[]",
                "name": "calls",
                "type": "tuple[]"
              }
            ],
            "internalType": "struct ChainBatch[]",
            "name": "chainBatches",
            "type": "tuple[]"
          }
        ],
        "internalType": "struct Intent",
        "name": "intent",
        "type": "tuple"
      }
    ],
    "name": "fulfill",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "to",
            "type": "address"
          },
          {
            "internalType": "uint64",
            "name": "gasLimit",
            "type": "uint64"
          },
          {
            "internalType": "bytes",
            "name": "arguments",
            "type": "bytes"
          }
        ],
        "internalType": "struct SolverVault.Step[]",
        "name": "steps",
        "type": "tuple[]"
      }
    ],
    "name": "fulfillMany",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "stepKey",
        "type": "bytes32"
      },
      {
        "components": [
          {
            "internalType": "address",
            "name": "to",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "token",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "amount",
            "type": "uint256"
          }
        ],
        "internalType": "struct SolverVault.Transfer[]",
        "name": "transfers",
        "type": "tuple[]"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "components": [
          {
            "internalType": "string",
            "name": "signatureType",
            "type": "string"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          },
          {
            "internalType": "uint256",
            "name": "nbf",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "exp",
            "type": "uint256"
          },
          {
            "components": [
              {
                "internalType": "bytes32",
                "name": "hash",
                "type": "bytes32"
              },
              {
                "internalType": "uint256",
                "name": "chainId",
                "type": "uint256"
              },
              {
                "components": [
                  {
                    "internalType": "address",
                    "name": "to",
                    "type": "address"
                  },
                  {
                    "internalType": "uint256",
                    "name": "value",
                    "type": "uint256"
                  },
                  {
                    "internalType": "bytes",
                    "name": "data",
                    "type": "bytes"
                  }
                ],
                "internalType": "struct Call[]",
                "name": "calls",
                "type": "tuple[]"
              }
            ],
            "internalType": "struct ChainBatch[]",
            "name": "chainBatches",
            "type": "tuple[]"
          }
        ],
        "internalType": "struct Intent",
        "name": "intent",
        "type": "tuple"
      }
    ],
    "name": "fulfillStep",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "stepKey",
        "type": "bytes32"
      }
    ],
    "name": "isFulfilled",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "name": "isOperator",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "name": "outflowOf",
    "outputs": [
      {
        "internalType": "uint112",
        "name": "cap",
        "type": "uint112"
      },
      {
        "internalType": "uint112",
        "name": "spent",
        "type": "uint112"
      },
      {
        "internalType": "uint32",
        "name": "day",
        "type": "uint32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "owner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "paused",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "pendingOwner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "renounceOwnership",
    "outputs": [],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "operator",
        "type": "address"
      },
      {
        "internalType": "bool",
        "name": "allowed",
        "type": "bool"
      }
    ],
    "name": "setOperator",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "internalType": "uint112",
        "name": "cap",
        "type": "uint112"
      }
    ],
    "name": "setOutflowCap",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bool",
        "name": "value",
        "type": "bool"
      }
    ],
    "name": "setPaused",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "transferOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "withdraw",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "stateMutability": "payable",
    "type": "receive"
  }
] as const

export const solverVaultBytecode = '0x60803460c157601f61179738819003918201601f19168301916001600160401b0383118484101760c55780849260209460405283398101031260c157516001600160a01b0381169081900360c157801560ae57600180546001600160a01b03199081169091555f80549182168317815560405192916001600160a01b0316907f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09080a36116bd90816100da8239f35b631e4fbdf760e01b5f525f60045260245ffd5b5f80fd5b634e487b7160e01b5f52604160045260245ffdfe60806040526004361015610046575b3615610018575f80fd5b6040513481527f8ac633e5b094e1150d2a6495df4d0c77f51d293abe99e7733c78870dfbee766060203392a2005b5f3560e01c806316c38b3c14610cdc578063558a729714610c1557806359fe97ee14610bdd5780635c975abb14610b9d5780636a55d57114610b4d5780636d70f7ae14610ae55780636e39cc9c14610a50578063715018a6146109f257806379ba5097146108ec5780638da5cb5b1461089c578063d9caed1214610763578063e30c397814610712578063ed75e1cc146106c5578063f26ef1b8146105f3578063f2fde38b146105365763ffa8fe660361000e57346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15760043567ffffffffffffffff81116104e157366023820112156104e157806004013567ffffffffffffffff81116104e1573660248260051b840101116104e157610171610eb9565b335f52600360205260ff60405f2054161561050a57905f907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7d81360301915b838110156104e55760248160051b83010135838112156104e1578201906101d960248301610e78565b60448301359267ffffffffffffffff841684036104e15760648101357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbd36839003018112156104e157016024018035939067ffffffffffffffff85116104e1576020019084360382136104e15760019484935f9260609473ffffffffffffffffffffffffffffffffffffffff83169130831490815f146104bb577f6a55d571000000000000000000000000000000000000000000000000000000005b865f9460405192835260048301375a6117708301908060061c90031096871561042f575b50505090859182610426575b508161041d575b50610389575b5050156103065750507ffb199e54ceac71193a56fa29dd09e291062e1cbb1fe3dcd2cce6649ebe88e3b25f80a25b016101b0565b15610313575b5050610300565b602060407f6f43605f2e8f5788dff5a1fb5f945d1f2657ac439c146686fbe5970212c3053b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f835194859381855280519182918282880152018686015e5f85828601015201168101030190a2805f61030c565b9193505f92503b6103da57604051907f7e6ef3fe0000000000000000000000000000000000000000000000000000000060208301526024820152602481526103d260448261114b565b915f806102d2565b604051907f4d52a75700000000000000000000000000000000000000000000000000000000602083015260248201526024815261041860448261114b565b6103d2565b9050155f6102cc565b1591505f6102c5565b6020939850905f8760048295940193f194601f3d116104b2575b8515610458575b5f80806102b9565b3d965061040087116104a8575b9085917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0603f60405199808b52805f60208d013e8a010116604052909150610450565b6104009650610465565b5f519150610449565b7f0bb2772300000000000000000000000000000000000000000000000000000000610295565b5f80fd5b5f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d005b7f76c6c93a000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15773ffffffffffffffffffffffffffffffffffffffff610582610d7a565b61058a610e99565b16807fffffffffffffffffffffffff0000000000000000000000000000000000000000600154161760015573ffffffffffffffffffffffffffffffffffffffff5f54167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e227005f80a3005b346104e15760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15761062a610d7a565b602435906dffffffffffffffffffffffffffff82168092036104e157602073ffffffffffffffffffffffffffffffffffffffff7ff4f5c5a1c2e6e7a905e1c6c8654288a10a1d0aa171a08cbef25f5978d7ae86b492610687610e99565b1692835f526004825260405f20817fffffffffffffffffffffffffffffffffffff0000000000000000000000000000825416179055604051908152a2005b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e1576004355f526002602052602060ff60405f2054166040519015158152f35b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157602073ffffffffffffffffffffffffffffffffffffffff60015416604051908152f35b346104e15760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15761079a610d7a565b60243573ffffffffffffffffffffffffffffffffffffffff8116918282036104e157604435906107c8610e99565b6107d0610eb9565b3084148015610894575b6108685781817fd1c19fbcd4551a5edfb66d43d2e337c04837afda3482b42bdf569a8fccdae5fb9373ffffffffffffffffffffffffffffffffffffffff602094169586155f1461085a5761082e9250611370565b604051908152a35f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d005b610863926111b9565b61082e565b837f17858bbe000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5083156107da565b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157602073ffffffffffffffffffffffffffffffffffffffff5f5416604051908152f35b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e1576001543373ffffffffffffffffffffffffffffffffffffffff8216036109c6577fffffffffffffffffffffffff0000000000000000000000000000000000000000166001555f54337fffffffffffffffffffffffff00000000000000000000000000000000000000008216175f5573ffffffffffffffffffffffffffffffffffffffff3391167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3005b7f118cdaa7000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157610a28610e99565b7f3c776be1000000000000000000000000000000000000000000000000000000005f5260045ffd5b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15773ffffffffffffffffffffffffffffffffffffffff610a9c610d7a565b165f526004602052606060405f2054604051906dffffffffffffffffffffffffffff811682526dffffffffffffffffffffffffffff8160701c16602083015260e01c6040820152f35b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15773ffffffffffffffffffffffffffffffffffffffff610b31610d7a565b165f526003602052602060ff60405f2054166040519015158152f35b346104e157610b5b36610d9d565b92919091303303610b7157610b6f94610f2d565b005b7fa19dbf00000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157602060ff600554166040519015158152f35b346104e157610beb36610d9d565b92610bf7929192610eb9565b335f52600360205260ff60405f2054161561050a576104e594610f2d565b346104e15760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157610c4c610d7a565b602435908115158092036104e157602073ffffffffffffffffffffffffffffffffffffffff7f1a594081ae893ab78e67d9b9e843547318164322d32c65369d78a96172d9dc8f92610c9b610e99565b1692835f526003825260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0081541660ff8316179055604051908152a2005b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e1576004358015158091036104e15760207f40db37ff5c0bdc2c427fbb2078c8f24afea940abac0e3c23bb4ea3bf2da2b21291610d44610e99565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff006005541660ff821617600555604051908152a1005b6004359073ffffffffffffffffffffffffffffffffffffffff821682036104e157565b60807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8201126104e157600435916024359167ffffffffffffffff83116104e157806023840112156104e15782600401359267ffffffffffffffff84116104e15781602460608602830101116104e157602401929160443573ffffffffffffffffffffffffffffffffffffffff811681036104e157916064359067ffffffffffffffff82116104e1577ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8260a0920301126104e15760040190565b3573ffffffffffffffffffffffffffffffffffffffff811681036104e15790565b73ffffffffffffffffffffffffffffffffffffffff5f541633036109c657565b7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005c610f055760017f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d565b7f3ee5aeb5000000000000000000000000000000000000000000000000000000005f5260045ffd5b91939492909460ff6005541661112357825f52600260205260ff60405f2054166110f757825f52600260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008254161790555f5b85811015610fd757600190610fd16060820289016020810190610fcb610fc5610fb084610e78565b93610fc0604085013580966113cb565b610e78565b91610e78565b90611516565b01610f88565b5091935091935073ffffffffffffffffffffffffffffffffffffffff82169182611025575b5050507f6930ee93026433301a14b1baa0b52ca0d4640cb1edaa703beeb9056e235269845f80a2565b803b156110cb575f60209181938260246040519280360380917f0bb277230000000000000000000000000000000000000000000000000000000086528860048701528386013701925af1601f3d116110c2575b156110b5575b1561108a578080610ffc565b7f4d52a757000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6110bd6116a8565b61107e565b5f519150611078565b827f7e6ef3fe000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b827f7170b34f000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f9e87fac8000000000000000000000000000000000000000000000000000000005f5260045ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff82111761118c57604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b5f806040519373ffffffffffffffffffffffffffffffffffffffff60208601917fa9059cbb00000000000000000000000000000000000000000000000000000000835216948560248201528660448201526044815261121960648261114b565b519082855af13d15611368573d9067ffffffffffffffff821161118c576040519161126c60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f840116018461114b565b82523d5f602084013e5b15908161135b575b8051601f81119182611312575b501580611308575b82156112ed575b50506112a557505050565b73ffffffffffffffffffffffffffffffffffffffff907fc8776798000000000000000000000000000000000000000000000000000000005f521660045260245260445260645ffd5b9091508115611300575b50155f8061129a565b90505f6112f7565b50823b1515611293565b6001919250602001516020831061132c575b14905f61128b565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8360200360031b1b16611324565b6113636116a8565b61127e565b606090611276565b5f5a818085853894f115611382575050565b73ffffffffffffffffffffffffffffffffffffffff907fc8776798000000000000000000000000000000000000000000000000000000005f525f6004521660245260445260645ffd5b73ffffffffffffffffffffffffffffffffffffffff1690815f52600460205260405f20918254916dffffffffffffffffffffffffffff831691821561150f576201518042049363ffffffff85168160e01c145f146114f9576dffffffffffffffffffffffffffff809160701c165b1682018092116114cc5782821161149957507bffffffffffffffffffffffffffff00000000000000000000000000007fffffffff000000000000000000000000000000000000000000000000000000009160701b169260e01b1617179055565b82907fbf93256b000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b506dffffffffffffffffffffffffffff5f611439565b5050505050565b9173ffffffffffffffffffffffffffffffffffffffff82169130831480156116a0575b6116745773ffffffffffffffffffffffffffffffffffffffff841693841561166457816014526f70a082310000000000000000000000005f5260208060246010845afa601f3d1116918260205102921561162f576024601083836115a2886020979688976111b9565b6014526f70a082310000000000000000000000005f525afa601f3d111660205102908082115f146116265781039081116114cc57915b8183036115e55750505050565b60849450604051937f1def5d4a0000000000000000000000000000000000000000000000000000000085526004850152602484015260448301526064820152fd5b50505f916115d8565b505050917fc8776798000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b509091506116729250611370565b565b827f17858bbe000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b508215611539565b60033d116116b257565b6040513d5f823e3d90fd' as const

export const solverVaultRuntime = '0x60806040526004361015610046575b3615610018575f80fd5b6040513481527f8ac633e5b094e1150d2a6495df4d0c77f51d293abe99e7733c78870dfbee766060203392a2005b5f3560e01c806316c38b3c14610cdc578063558a729714610c1557806359fe97ee14610bdd5780635c975abb14610b9d5780636a55d57114610b4d5780636d70f7ae14610ae55780636e39cc9c14610a50578063715018a6146109f257806379ba5097146108ec5780638da5cb5b1461089c578063d9caed1214610763578063e30c397814610712578063ed75e1cc146106c5578063f26ef1b8146105f3578063f2fde38b146105365763ffa8fe660361000e57346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15760043567ffffffffffffffff81116104e157366023820112156104e157806004013567ffffffffffffffff81116104e1573660248260051b840101116104e157610171610eb9565b335f52600360205260ff60405f2054161561050a57905f907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7d81360301915b838110156104e55760248160051b83010135838112156104e1578201906101d960248301610e78565b60448301359267ffffffffffffffff841684036104e15760648101357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbd36839003018112156104e157016024018035939067ffffffffffffffff85116104e1576020019084360382136104e15760019484935f9260609473ffffffffffffffffffffffffffffffffffffffff83169130831490815f146104bb577f6a55d571000000000000000000000000000000000000000000000000000000005b865f9460405192835260048301375a6117708301908060061c90031096871561042f575b50505090859182610426575b508161041d575b50610389575b5050156103065750507ffb199e54ceac71193a56fa29dd09e291062e1cbb1fe3dcd2cce6649ebe88e3b25f80a25b016101b0565b15610313575b5050610300565b602060407f6f43605f2e8f5788dff5a1fb5f945d1f2657ac439c146686fbe5970212c3053b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f835194859381855280519182918282880152018686015e5f85828601015201168101030190a2805f61030c565b9193505f92503b6103da57604051907f7e6ef3fe0000000000000000000000000000000000000000000000000000000060208301526024820152602481526103d260448261114b565b915f806102d2565b604051907f4d52a75700000000000000000000000000000000000000000000000000000000602083015260248201526024815261041860448261114b565b6103d2565b9050155f6102cc565b1591505f6102c5565b6020939850905f8760048295940193f194601f3d116104b2575b8515610458575b5f80806102b9565b3d965061040087116104a8575b9085917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0603f60405199808b52805f60208d013e8a010116604052909150610450565b6104009650610465565b5f519150610449565b7f0bb2772300000000000000000000000000000000000000000000000000000000610295565b5f80fd5b5f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d005b7f76c6c93a000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15773ffffffffffffffffffffffffffffffffffffffff610582610d7a565b61058a610e99565b16807fffffffffffffffffffffffff0000000000000000000000000000000000000000600154161760015573ffffffffffffffffffffffffffffffffffffffff5f54167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e227005f80a3005b346104e15760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15761062a610d7a565b602435906dffffffffffffffffffffffffffff82168092036104e157602073ffffffffffffffffffffffffffffffffffffffff7ff4f5c5a1c2e6e7a905e1c6c8654288a10a1d0aa171a08cbef25f5978d7ae86b492610687610e99565b1692835f526004825260405f20817fffffffffffffffffffffffffffffffffffff0000000000000000000000000000825416179055604051908152a2005b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e1576004355f526002602052602060ff60405f2054166040519015158152f35b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157602073ffffffffffffffffffffffffffffffffffffffff60015416604051908152f35b346104e15760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15761079a610d7a565b60243573ffffffffffffffffffffffffffffffffffffffff8116918282036104e157604435906107c8610e99565b6107d0610eb9565b3084148015610894575b6108685781817fd1c19fbcd4551a5edfb66d43d2e337c04837afda3482b42bdf569a8fccdae5fb9373ffffffffffffffffffffffffffffffffffffffff602094169586155f1461085a5761082e9250611370565b604051908152a35f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d005b610863926111b9565b61082e565b837f17858bbe000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5083156107da565b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157602073ffffffffffffffffffffffffffffffffffffffff5f5416604051908152f35b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e1576001543373ffffffffffffffffffffffffffffffffffffffff8216036109c6577fffffffffffffffffffffffff0000000000000000000000000000000000000000166001555f54337fffffffffffffffffffffffff00000000000000000000000000000000000000008216175f5573ffffffffffffffffffffffffffffffffffffffff3391167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3005b7f118cdaa7000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157610a28610e99565b7f3c776be1000000000000000000000000000000000000000000000000000000005f5260045ffd5b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15773ffffffffffffffffffffffffffffffffffffffff610a9c610d7a565b165f526004602052606060405f2054604051906dffffffffffffffffffffffffffff811682526dffffffffffffffffffffffffffff8160701c16602083015260e01c6040820152f35b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e15773ffffffffffffffffffffffffffffffffffffffff610b31610d7a565b165f526003602052602060ff60405f2054166040519015158152f35b346104e157610b5b36610d9d565b92919091303303610b7157610b6f94610f2d565b005b7fa19dbf00000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b346104e1575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157602060ff600554166040519015158152f35b346104e157610beb36610d9d565b92610bf7929192610eb9565b335f52600360205260ff60405f2054161561050a576104e594610f2d565b346104e15760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e157610c4c610d7a565b602435908115158092036104e157602073ffffffffffffffffffffffffffffffffffffffff7f1a594081ae893ab78e67d9b9e843547318164322d32c65369d78a96172d9dc8f92610c9b610e99565b1692835f526003825260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0081541660ff8316179055604051908152a2005b346104e15760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126104e1576004358015158091036104e15760207f40db37ff5c0bdc2c427fbb2078c8f24afea940abac0e3c23bb4ea3bf2da2b21291610d44610e99565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff006005541660ff821617600555604051908152a1005b6004359073ffffffffffffffffffffffffffffffffffffffff821682036104e157565b60807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8201126104e157600435916024359167ffffffffffffffff83116104e157806023840112156104e15782600401359267ffffffffffffffff84116104e15781602460608602830101116104e157602401929160443573ffffffffffffffffffffffffffffffffffffffff811681036104e157916064359067ffffffffffffffff82116104e1577ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8260a0920301126104e15760040190565b3573ffffffffffffffffffffffffffffffffffffffff811681036104e15790565b73ffffffffffffffffffffffffffffffffffffffff5f541633036109c657565b7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005c610f055760017f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d565b7f3ee5aeb5000000000000000000000000000000000000000000000000000000005f5260045ffd5b91939492909460ff6005541661112357825f52600260205260ff60405f2054166110f757825f52600260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008254161790555f5b85811015610fd757600190610fd16060820289016020810190610fcb610fc5610fb084610e78565b93610fc0604085013580966113cb565b610e78565b91610e78565b90611516565b01610f88565b5091935091935073ffffffffffffffffffffffffffffffffffffffff82169182611025575b5050507f6930ee93026433301a14b1baa0b52ca0d4640cb1edaa703beeb9056e235269845f80a2565b803b156110cb575f60209181938260246040519280360380917f0bb277230000000000000000000000000000000000000000000000000000000086528860048701528386013701925af1601f3d116110c2575b156110b5575b1561108a578080610ffc565b7f4d52a757000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6110bd6116a8565b61107e565b5f519150611078565b827f7e6ef3fe000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b827f7170b34f000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7f9e87fac8000000000000000000000000000000000000000000000000000000005f5260045ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff82111761118c57604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b5f806040519373ffffffffffffffffffffffffffffffffffffffff60208601917fa9059cbb00000000000000000000000000000000000000000000000000000000835216948560248201528660448201526044815261121960648261114b565b519082855af13d15611368573d9067ffffffffffffffff821161118c576040519161126c60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f840116018461114b565b82523d5f602084013e5b15908161135b575b8051601f81119182611312575b501580611308575b82156112ed575b50506112a557505050565b73ffffffffffffffffffffffffffffffffffffffff907fc8776798000000000000000000000000000000000000000000000000000000005f521660045260245260445260645ffd5b9091508115611300575b50155f8061129a565b90505f6112f7565b50823b1515611293565b6001919250602001516020831061132c575b14905f61128b565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8360200360031b1b16611324565b6113636116a8565b61127e565b606090611276565b5f5a818085853894f115611382575050565b73ffffffffffffffffffffffffffffffffffffffff907fc8776798000000000000000000000000000000000000000000000000000000005f525f6004521660245260445260645ffd5b73ffffffffffffffffffffffffffffffffffffffff1690815f52600460205260405f20918254916dffffffffffffffffffffffffffff831691821561150f576201518042049363ffffffff85168160e01c145f146114f9576dffffffffffffffffffffffffffff809160701c165b1682018092116114cc5782821161149957507bffffffffffffffffffffffffffff00000000000000000000000000007fffffffff000000000000000000000000000000000000000000000000000000009160701b169260e01b1617179055565b82907fbf93256b000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b506dffffffffffffffffffffffffffff5f611439565b5050505050565b9173ffffffffffffffffffffffffffffffffffffffff82169130831480156116a0575b6116745773ffffffffffffffffffffffffffffffffffffffff841693841561166457816014526f70a082310000000000000000000000005f5260208060246010845afa601f3d1116918260205102921561162f576024601083836115a2886020979688976111b9565b6014526f70a082310000000000000000000000005f525afa601f3d111660205102908082115f146116265781039081116114cc57915b8183036115e55750505050565b60849450604051937f1def5d4a0000000000000000000000000000000000000000000000000000000085526004850152602484015260448301526064820152fd5b50505f916115d8565b505050917fc8776798000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b509091506116729250611370565b565b827f17858bbe000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b508215611539565b60033d116116b257565b6040513d5f823e3d90fd' as const

export const devTokenAbi = [
  {
    "inputs": [
      {
        "internalType": "string",
        "name": "name",
        "type": "string"
      },
      {
        "internalType": "string",
        "name": "symbol",
        "type": "string"
      },
      {
        "internalType": "uint8",
        "name": "decimals_",
        "type": "uint8"
      },
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "allowance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientAllowance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "balance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientBalance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "approver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidApprover",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidReceiver",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSpender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "OwnableInvalidOwner",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "OwnableUnauthorizedAccount",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Approval",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "previousOwner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "OwnershipTransferred",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Transfer",
    "type": "event"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "allowance",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "approve",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "balanceOf",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "decimals",
    "outputs": [
      {
        "internalType": "uint8",
        "name": "",
        "type": "uint8"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "mint",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "name",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "owner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "renounceOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "symbol",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "totalSupply",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transfer",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transferFrom",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "transferOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const

export const devTokenBytecode = '0x60a0604052346103bd576110d480380380610019816103c1565b9283398101906080818303126103bd5780516001600160401b0381116103bd57826100459183016103e6565b602082015190926001600160401b0382116103bd576100659183016103e6565b9060408101519060ff821682036103bd57606001516001600160a01b03811691908290036103bd5783516001600160401b0381116102c357600354600181811c911680156103b3575b60208210146102a557601f8111610345575b50602094601f82116001146102e2579481929394955f926102d7575b50508160011b915f199060031b1c1916176003555b82516001600160401b0381116102c357600454600181811c911680156102b9575b60208210146102a557601f8111610237575b506020601f82116001146101d457819293945f926101c9575b50508160011b915f199060031b1c1916176004555b81156101b657600580546001600160a01b03198116841790915560405192906001600160a01b03167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3608052610c9c90816104388239608051816106fa0152f35b631e4fbdf760e01b5f525f60045260245ffd5b015190505f8061013d565b601f1982169060045f52805f20915f5b81811061021f57509583600195969710610207575b505050811b01600455610152565b01515f1960f88460031b161c191690555f80806101f9565b9192602060018192868b0151815501940192016101e4565b818111156101245760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b6020841061029d575b81601f9101920160051c03905f5b828110610290575050610124565b5f82820155600101610282565b5f9150610274565b634e487b7160e01b5f52602260045260245ffd5b90607f1690610112565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100dc565b601f1982169560035f52805f20915f5b88811061032d57508360019596979810610315575b505050811b016003556100f1565b01515f1960f88460031b161c191690555f8080610307565b919260206001819286850151815501940192016102f2565b818111156100c05760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b602084106103ab575b81601f9101920160051c03905f5b82811061039e5750506100c0565b5f82820155600101610390565b5f9150610382565b90607f16906100ae565b5f80fd5b6040519190601f01601f191682016001600160401b038111838210176102c357604052565b81601f820112156103bd578051906001600160401b0382116102c357610415601f8301601f19166020016103c1565b92828452602083830101116103bd57815f9260208093018386015e830101529056fe6080806040526004361015610012575f80fd5b5f3560e01c90816306fdde031461099a57508063095ea7b3146108ed57806318160ddd146108b257806323b872dd1461071e578063313ce567146106c357806340c10f19146105ba57806370a0823114610558578063715018a6146104bc5780638da5cb5b1461046b57806395d89b4114610278578063a9059cbb14610229578063dd62ed3e1461019d5763f2fde38b146100ab575f80fd5b346101995760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101995773ffffffffffffffffffffffffffffffffffffffff6100f7610b13565b6100ff610c4f565b16801561016d5773ffffffffffffffffffffffffffffffffffffffff600554827fffffffffffffffffffffffff0000000000000000000000000000000000000000821617600555167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3005b7f1e4fbdf7000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b5f80fd5b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576101d4610b13565b73ffffffffffffffffffffffffffffffffffffffff6101f1610b36565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101995761026d610263610b13565b6024359033610b59565b602060405160018152f35b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576040515f600454908160011c60018316928315610461575b6020821084146104345781855284939081156103d4575060011461035a575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761032d5761032982918260405282610acb565b0390f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b60045f90815291507f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b5b8183106103b857505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102dd565b6020919350806001915483858801015201910190918392610384565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208581019190915291151560051b840190910191507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe090506102dd565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b90607f16906102be565b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957602073ffffffffffffffffffffffffffffffffffffffff60055416604051908152f35b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576104f2610c4f565b5f73ffffffffffffffffffffffffffffffffffffffff6005547fffffffffffffffffffffffff00000000000000000000000000000000000000008116600555167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e08280a3005b346101995760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101995773ffffffffffffffffffffffffffffffffffffffff6105a4610b13565b165f525f602052602060405f2054604051908152f35b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576105f1610b13565b73ffffffffffffffffffffffffffffffffffffffff60243591610612610c4f565b16908115610697576002549080820180921161066a5760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b7fec442f05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957602060405160ff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346101995760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957610755610b13565b61075d610b36565b6044359073ffffffffffffffffffffffffffffffffffffffff831692835f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f20547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81106107d9575b5061026d9350610b59565b83811061087e5784156108525733156108265761026d945f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f2091039055846107ce565b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b83907ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576020600254604051908152f35b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957610924610b13565b6024359033156108525773ffffffffffffffffffffffffffffffffffffffff1690811561082657335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199575f600354908160011c60018316928315610ac1575b6020821084146104345781855284939081156103d45750600114610a47575003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761032d5761032982918260405282610acb565b60035f90815291507fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b5b818310610aa557505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102dd565b6020919350806001915483858801015201910190918392610a71565b90607f16906109dd565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361019957565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361019957565b73ffffffffffffffffffffffffffffffffffffffff16908115610c235773ffffffffffffffffffffffffffffffffffffffff1691821561069757815f525f60205260405f2054818110610bf157817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b73ffffffffffffffffffffffffffffffffffffffff600554163303610c7057565b7f118cdaa7000000000000000000000000000000000000000000000000000000005f523360045260245ffd' as const

export const devTokenRuntime = '0x6080806040526004361015610012575f80fd5b5f3560e01c90816306fdde031461099a57508063095ea7b3146108ed57806318160ddd146108b257806323b872dd1461071e578063313ce567146106c357806340c10f19146105ba57806370a0823114610558578063715018a6146104bc5780638da5cb5b1461046b57806395d89b4114610278578063a9059cbb14610229578063dd62ed3e1461019d5763f2fde38b146100ab575f80fd5b346101995760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101995773ffffffffffffffffffffffffffffffffffffffff6100f7610b13565b6100ff610c4f565b16801561016d5773ffffffffffffffffffffffffffffffffffffffff600554827fffffffffffffffffffffffff0000000000000000000000000000000000000000821617600555167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3005b7f1e4fbdf7000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b5f80fd5b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576101d4610b13565b73ffffffffffffffffffffffffffffffffffffffff6101f1610b36565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101995761026d610263610b13565b6024359033610b59565b602060405160018152f35b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576040515f600454908160011c60018316928315610461575b6020821084146104345781855284939081156103d4575060011461035a575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761032d5761032982918260405282610acb565b0390f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b60045f90815291507f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b5b8183106103b857505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102dd565b6020919350806001915483858801015201910190918392610384565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208581019190915291151560051b840190910191507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe090506102dd565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b90607f16906102be565b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957602073ffffffffffffffffffffffffffffffffffffffff60055416604051908152f35b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576104f2610c4f565b5f73ffffffffffffffffffffffffffffffffffffffff6005547fffffffffffffffffffffffff00000000000000000000000000000000000000008116600555167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e08280a3005b346101995760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101995773ffffffffffffffffffffffffffffffffffffffff6105a4610b13565b165f525f602052602060405f2054604051908152f35b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576105f1610b13565b73ffffffffffffffffffffffffffffffffffffffff60243591610612610c4f565b16908115610697576002549080820180921161066a5760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b7fec442f05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957602060405160ff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346101995760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957610755610b13565b61075d610b36565b6044359073ffffffffffffffffffffffffffffffffffffffff831692835f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f20547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81106107d9575b5061026d9350610b59565b83811061087e5784156108525733156108265761026d945f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f2091039055846107ce565b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b83907ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199576020600254604051908152f35b346101995760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019957610924610b13565b6024359033156108525773ffffffffffffffffffffffffffffffffffffffff1690811561082657335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b34610199575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610199575f600354908160011c60018316928315610ac1575b6020821084146104345781855284939081156103d45750600114610a47575003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761032d5761032982918260405282610acb565b60035f90815291507fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b5b818310610aa557505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102dd565b6020919350806001915483858801015201910190918392610a71565b90607f16906109dd565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361019957565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361019957565b73ffffffffffffffffffffffffffffffffffffffff16908115610c235773ffffffffffffffffffffffffffffffffffffffff1691821561069757815f525f60205260405f2054818110610bf157817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b73ffffffffffffffffffffffffffffffffffffffff600554163303610c7057565b7f118cdaa7000000000000000000000000000000000000000000000000000000005f523360045260245ffd' as const
