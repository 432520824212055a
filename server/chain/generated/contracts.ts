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

export const delegateBytecode = '0x60808060405234601557611770908161001a8239f35b5f80fdfe608080604052600436101561001c575b50361561001a575f80fd5b005b5f3560e01c90816301ffc9a714611005575080630bb2772314610487578063150b7a02146103fa5780631626ba7e146102bb57806381da69ef14610235578063984e2df8146101e2578063bc197c81146101115763f23a6e6114610080575f61000f565b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576100b7611123565b506100c0611146565b5060843567ffffffffffffffff811161010d576100e1903690600401611169565b505060206040517ff23a6e61000000000000000000000000000000000000000000000000000000008152f35b5f80fd5b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610148611123565b50610151611146565b5060443567ffffffffffffffff811161010d57610172903690600401611197565b505060643567ffffffffffffffff811161010d57610194903690600401611197565b505060843567ffffffffffffffff811161010d576101b6903690600401611169565b505060206040517fbc197c81000000000000000000000000000000000000000000000000000000008152f35b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576102196113f6565b6004355f52602052602060ff60405f2054166040519015158152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760043567ffffffffffffffff811161010d5761027f903690600401611197565b30330361028f5761001a91611479565b7fa19dbf00000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461010d5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760243567ffffffffffffffff811161010d5761031761031061031f923690600401611169565b36916113c0565b6004356115f4565b5060048110156103cd571590816103ad575b50156103855760207f1626ba7e000000000000000000000000000000000000000000000000000000005b7fffffffff0000000000000000000000000000000000000000000000000000000060405191168152f35b60207fffffffff0000000000000000000000000000000000000000000000000000000061035b565b73ffffffffffffffffffffffffffffffffffffffff163014905081610331565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b3461010d5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610431611123565b5061043a611146565b5060643567ffffffffffffffff811161010d5761045b903690600401611169565b505060206040517f150b7a02000000000000000000000000000000000000000000000000000000008152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5767ffffffffffffffff6004351161010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc6004353603011261010d575f604460043501354210610fcf57606460043501354211610f995761051c6103106004803501806112f7565b602081519101206105376024600435016004356004016112f7565b9290809380937fac75a10e130d0f4ed84689c63c0069adff9123d68aa5a7a04b227160e00c10a881145f14610b06575050506105876105806084600435016004356004016111c8565b9050611646565b925f5b8451811015610763576105b1816105ab6084600435016004356004016111c8565b9061121c565b604081016105bf81836111c8565b151590506105df575090600191355b6105d88288611695565b520161058a565b6105e990826111c8565b9081604051936020606086019101356020860152604080860152526080830160808360051b85010192825f905b828210610663575050505050906106578160019493037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611289565b602081519101206105ce565b90919293947fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8087820301855285357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18336030181121561010d578201803573ffffffffffffffffffffffffffffffffffffffff811680910361010d5782526020810135602083015260408101357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561010d57016020813591019067ffffffffffffffff811161010d57803603821361010d57610756602092839260608681604060019901520191611348565b9701950193920190610616565b5090929091906107776004803501806112f7565b916107926040519260208401946080865260a0850191611348565b6044600435013560408401526064600435013560608401527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0838203016080840152602080835192838152019201905f5b818110610af057505050610879928261083c73ffffffffffffffffffffffffffffffffffffffff969461087394037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611289565b519020947f19457468657265756d205369676e6564204d6573736167653a0a3332000000005f5285601c52603c5f209236916113c0565b906115f4565b505016308103610a935750905f91608460043501915b61089e836004356004016111c8565b9050841015610a88576108ba846105ab856004356004016111c8565b604081016108c881836111c8565b905015610a7d576020820135468103610a4e57506040516020810190858252876040820152604081526108fc606082611289565b519020916109086113f6565b835f528060205260ff60405f2054166109e8579161095c9161096293855f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008254161790556111c8565b90611479565b7f1cb3b980aac9f55d8929ec9cdd60a610f1ca3ee64c37fa20cf40a5b2368f732a5f80a27fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81146109bb576001809101935b019261088f565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b83826109fe6024600435016004356004016112f7565b919092610a3e6040519485947fbbc12980000000000000000000000000000000000000000000000000000000008652606060048701526064860191611348565b9135602484015260448301520390fd5b7f9fba672f000000000000000000000000000000000000000000000000000000005f524660045260245260445ffd5b5050926001906109b4565b602090604051908152f35b610aa16004803501806112f7565b9091610ae06040519384937f6d221b40000000000000000000000000000000000000000000000000000000008552606060048601526064850191611348565b9060248301523060448301520390fd5b82518452602093840193909201916001016107e3565b9194509192507fdc5027509ceaf861f50e4b13bca75b310e6c7863bfa6dc1e135664806d01957a03610f4a5760418110610eef578060411161010d57610b596105806084600435016004356004016111c8565b925f5f5b8551811015610d8057610b7e816105ab6084600435016004356004016111c8565b60408101610b8c81836111c8565b15159050610bac57509060019135610ba48289611695565b525b01610b5d565b969060208497959694018088116109bb577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbf8501811161010d579686016041013596610bf99098826111c8565b959094610c0587611646565b975f5b8951811015610cce57808989610c53610310610c4985610c33610c2e600199888861121c565b611458565b956020610c4183838961121c565b01359561121c565b60408101906112f7565b602081519101206040519173ffffffffffffffffffffffffffffffffffffffff60208401947f9085b19ea56248c94d86174b3784cfaaa8673d1041d6441f61ff52752dac848386521660408401526060830152608082015260808152610cba60a082611289565b519020610cc7828d611695565b5201610c08565b5096509660019493999550979097604051610d1d81610cf16020820180956116a9565b037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611289565b519020604051916020808401947fdf2e62fd2f4e6dfefc8f482b72c56c15147f4f5c52f70ddd6e5c3391526e80c68652013560408401526060830152608082015260808152610d6d60a082611289565b519020610d7a8289611695565b52610ba6565b5050919273ffffffffffffffffffffffffffffffffffffffff915061087990604051610db481610cf16020820180956116a9565b51902060405160208101917f150c77ac76656fd60d63a7a4123c1d97fc7f55d497cb688dc00b8bd1ac32e6d28352604460043501356040830152606460043501356060830152608082015260808152610e0e60a082611289565b51902060405160208101907fb03948446334eb9b2196d5eb166f69b9d49403eb4a12f36de8d3f9f3cb8e15c382527f8315f3ae4fc38056c1d9b3d34f9f004eeebe22e0dbbd9f977d408ef2af4d748960408201527fc89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc6606082015260608152610e97608082611289565b519020906040519060208201927f190100000000000000000000000000000000000000000000000000000000000084526022830152604282015260428152610ee0606282611289565b51902061087381946041610310565b610efd6004803501806112f7565b610f3a6040519283927f6d221b40000000000000000000000000000000000000000000000000000000008452606060048501526064840191611348565b5f60248301523060448301520390fd5b610f586004803501806112f7565b610f956040519283927fe9bc2653000000000000000000000000000000000000000000000000000000008452602060048501526024840191611348565b0390fd5b7f6f08ee6e000000000000000000000000000000000000000000000000000000005f52426004526064600435013560245260445ffd5b7f3433dad4000000000000000000000000000000000000000000000000000000005f52426004526044600435013560245260445ffd5b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361010d57817f01ffc9a700000000000000000000000000000000000000000000000000000000602093149081156110f9575b81156110cf575b81156110a5575b5015158152f35b7f1626ba7e000000000000000000000000000000000000000000000000000000009150148361109e565b7f4e2312e00000000000000000000000000000000000000000000000000000000081149150611097565b7f150b7a020000000000000000000000000000000000000000000000000000000081149150611090565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020838186019501011161010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020808501948460051b01011161010d57565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d57602001918160051b3603831361010d57565b919081101561125c5760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18136030182121561010d570190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176112ca57604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d5760200191813603831361010d57565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b67ffffffffffffffff81116112ca57601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b9291926113cc82611386565b916113da6040519384611289565b82948184528183011161010d578281602093845f960137010152565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0060405160208101907fe907f119ab8bb0222b4baaa4f0b90add0cd81a3bb5149d5b1c9e63fb27372a52825260208152611451604082611289565b5190201690565b3573ffffffffffffffffffffffffffffffffffffffff8116810361010d5790565b91905f5b81811061148a5750509050565b61149581838661121c565b61149e81611458565b60208201355f806040850193836114b586886112f7565b9190826040519384928337810185815203925af1913d156115ec573d926114db84611386565b936114e96040519586611289565b84523d5f602086013e5b15611504575050505060010161147d565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60206115a58795611558839861155273ffffffffffffffffffffffffffffffffffffffff9b611458565b986112f7565b90916040519a8b997f863d2b4f000000000000000000000000000000000000000000000000000000008b523060048c01521660248a0152604489015260a0606489015260a4880191611348565b937ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8686030160848701528051918291828752018786015e5f868286010152011601030190fd5b6060926114f3565b81519190604183036116245761161d9250602082015190606060408401519301515f1a906116d6565b9192909190565b50505f9160029190565b67ffffffffffffffff81116112ca5760051b60200190565b906116508261162e565b61165d6040519182611289565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061168b829461162e565b0190602036910137565b805182101561125c5760209160051b010190565b80516020909101905f5b8181106116c05750505090565b82518452602093840193909201916001016116b3565b91907f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411611765579160209360809260ff5f9560405194855216868401526040830152606082015282805260015afa1561175a575f5173ffffffffffffffffffffffffffffffffffffffff81161561175057905f905f90565b505f906001905f90565b6040513d5f823e3d90fd5b5050505f916003919056' as const

export const delegateRuntime = '0x608080604052600436101561001c575b50361561001a575f80fd5b005b5f3560e01c90816301ffc9a714611005575080630bb2772314610487578063150b7a02146103fa5780631626ba7e146102bb57806381da69ef14610235578063984e2df8146101e2578063bc197c81146101115763f23a6e6114610080575f61000f565b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576100b7611123565b506100c0611146565b5060843567ffffffffffffffff811161010d576100e1903690600401611169565b505060206040517ff23a6e61000000000000000000000000000000000000000000000000000000008152f35b5f80fd5b3461010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610148611123565b50610151611146565b5060443567ffffffffffffffff811161010d57610172903690600401611197565b505060643567ffffffffffffffff811161010d57610194903690600401611197565b505060843567ffffffffffffffff811161010d576101b6903690600401611169565b505060206040517fbc197c81000000000000000000000000000000000000000000000000000000008152f35b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d576102196113f6565b6004355f52602052602060ff60405f2054166040519015158152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760043567ffffffffffffffff811161010d5761027f903690600401611197565b30330361028f5761001a91611479565b7fa19dbf00000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461010d5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5760243567ffffffffffffffff811161010d5761031761031061031f923690600401611169565b36916113c0565b6004356115f4565b5060048110156103cd571590816103ad575b50156103855760207f1626ba7e000000000000000000000000000000000000000000000000000000005b7fffffffff0000000000000000000000000000000000000000000000000000000060405191168152f35b60207fffffffff0000000000000000000000000000000000000000000000000000000061035b565b73ffffffffffffffffffffffffffffffffffffffff163014905081610331565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b3461010d5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57610431611123565b5061043a611146565b5060643567ffffffffffffffff811161010d5761045b903690600401611169565b505060206040517f150b7a02000000000000000000000000000000000000000000000000000000008152f35b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d5767ffffffffffffffff6004351161010d5760a07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc6004353603011261010d575f604460043501354210610fcf57606460043501354211610f995761051c6103106004803501806112f7565b602081519101206105376024600435016004356004016112f7565b9290809380937fac75a10e130d0f4ed84689c63c0069adff9123d68aa5a7a04b227160e00c10a881145f14610b06575050506105876105806084600435016004356004016111c8565b9050611646565b925f5b8451811015610763576105b1816105ab6084600435016004356004016111c8565b9061121c565b604081016105bf81836111c8565b151590506105df575090600191355b6105d88288611695565b520161058a565b6105e990826111c8565b9081604051936020606086019101356020860152604080860152526080830160808360051b85010192825f905b828210610663575050505050906106578160019493037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611289565b602081519101206105ce565b90919293947fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8087820301855285357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18336030181121561010d578201803573ffffffffffffffffffffffffffffffffffffffff811680910361010d5782526020810135602083015260408101357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561010d57016020813591019067ffffffffffffffff811161010d57803603821361010d57610756602092839260608681604060019901520191611348565b9701950193920190610616565b5090929091906107776004803501806112f7565b916107926040519260208401946080865260a0850191611348565b6044600435013560408401526064600435013560608401527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0838203016080840152602080835192838152019201905f5b818110610af057505050610879928261083c73ffffffffffffffffffffffffffffffffffffffff969461087394037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611289565b519020947f19457468657265756d205369676e6564204d6573736167653a0a3332000000005f5285601c52603c5f209236916113c0565b906115f4565b505016308103610a935750905f91608460043501915b61089e836004356004016111c8565b9050841015610a88576108ba846105ab856004356004016111c8565b604081016108c881836111c8565b905015610a7d576020820135468103610a4e57506040516020810190858252876040820152604081526108fc606082611289565b519020916109086113f6565b835f528060205260ff60405f2054166109e8579161095c9161096293855f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008254161790556111c8565b90611479565b7f1cb3b980aac9f55d8929ec9cdd60a610f1ca3ee64c37fa20cf40a5b2368f732a5f80a27fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81146109bb576001809101935b019261088f565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b83826109fe6024600435016004356004016112f7565b919092610a3e6040519485947fbbc12980000000000000000000000000000000000000000000000000000000008652606060048701526064860191611348565b9135602484015260448301520390fd5b7f9fba672f000000000000000000000000000000000000000000000000000000005f524660045260245260445ffd5b5050926001906109b4565b602090604051908152f35b610aa16004803501806112f7565b9091610ae06040519384937f6d221b40000000000000000000000000000000000000000000000000000000008552606060048601526064850191611348565b9060248301523060448301520390fd5b82518452602093840193909201916001016107e3565b9194509192507fdc5027509ceaf861f50e4b13bca75b310e6c7863bfa6dc1e135664806d01957a03610f4a5760418110610eef578060411161010d57610b596105806084600435016004356004016111c8565b925f5f5b8551811015610d8057610b7e816105ab6084600435016004356004016111c8565b60408101610b8c81836111c8565b15159050610bac57509060019135610ba48289611695565b525b01610b5d565b969060208497959694018088116109bb577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbf8501811161010d579686016041013596610bf99098826111c8565b959094610c0587611646565b975f5b8951811015610cce57808989610c53610310610c4985610c33610c2e600199888861121c565b611458565b956020610c4183838961121c565b01359561121c565b60408101906112f7565b602081519101206040519173ffffffffffffffffffffffffffffffffffffffff60208401947f9085b19ea56248c94d86174b3784cfaaa8673d1041d6441f61ff52752dac848386521660408401526060830152608082015260808152610cba60a082611289565b519020610cc7828d611695565b5201610c08565b5096509660019493999550979097604051610d1d81610cf16020820180956116a9565b037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282611289565b519020604051916020808401947fdf2e62fd2f4e6dfefc8f482b72c56c15147f4f5c52f70ddd6e5c3391526e80c68652013560408401526060830152608082015260808152610d6d60a082611289565b519020610d7a8289611695565b52610ba6565b5050919273ffffffffffffffffffffffffffffffffffffffff915061087990604051610db481610cf16020820180956116a9565b51902060405160208101917f150c77ac76656fd60d63a7a4123c1d97fc7f55d497cb688dc00b8bd1ac32e6d28352604460043501356040830152606460043501356060830152608082015260808152610e0e60a082611289565b51902060405160208101907fb03948446334eb9b2196d5eb166f69b9d49403eb4a12f36de8d3f9f3cb8e15c382527f8315f3ae4fc38056c1d9b3d34f9f004eeebe22e0dbbd9f977d408ef2af4d748960408201527fc89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc6606082015260608152610e97608082611289565b519020906040519060208201927f190100000000000000000000000000000000000000000000000000000000000084526022830152604282015260428152610ee0606282611289565b51902061087381946041610310565b610efd6004803501806112f7565b610f3a6040519283927f6d221b40000000000000000000000000000000000000000000000000000000008452606060048501526064840191611348565b5f60248301523060448301520390fd5b610f586004803501806112f7565b610f956040519283927fe9bc2653000000000000000000000000000000000000000000000000000000008452602060048501526024840191611348565b0390fd5b7f6f08ee6e000000000000000000000000000000000000000000000000000000005f52426004526064600435013560245260445ffd5b7f3433dad4000000000000000000000000000000000000000000000000000000005f52426004526044600435013560245260445ffd5b3461010d5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261010d57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361010d57817f01ffc9a700000000000000000000000000000000000000000000000000000000602093149081156110f9575b81156110cf575b81156110a5575b5015158152f35b7f1626ba7e000000000000000000000000000000000000000000000000000000009150148361109e565b7f4e2312e00000000000000000000000000000000000000000000000000000000081149150611097565b7f150b7a020000000000000000000000000000000000000000000000000000000081149150611090565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020838186019501011161010d57565b9181601f8401121561010d5782359167ffffffffffffffff831161010d576020808501948460051b01011161010d57565b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d57602001918160051b3603831361010d57565b919081101561125c5760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18136030182121561010d570190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176112ca57604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b9035907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561010d570180359067ffffffffffffffff821161010d5760200191813603831361010d57565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b67ffffffffffffffff81116112ca57601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b9291926113cc82611386565b916113da6040519384611289565b82948184528183011161010d578281602093845f960137010152565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0060405160208101907fe907f119ab8bb0222b4baaa4f0b90add0cd81a3bb5149d5b1c9e63fb27372a52825260208152611451604082611289565b5190201690565b3573ffffffffffffffffffffffffffffffffffffffff8116810361010d5790565b91905f5b81811061148a5750509050565b61149581838661121c565b61149e81611458565b60208201355f806040850193836114b586886112f7565b9190826040519384928337810185815203925af1913d156115ec573d926114db84611386565b936114e96040519586611289565b84523d5f602086013e5b15611504575050505060010161147d565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f60206115a58795611558839861155273ffffffffffffffffffffffffffffffffffffffff9b611458565b986112f7565b90916040519a8b997f863d2b4f000000000000000000000000000000000000000000000000000000008b523060048c01521660248a0152604489015260a0606489015260a4880191611348565b937ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc8686030160848701528051918291828752018786015e5f868286010152011601030190fd5b6060926114f3565b81519190604183036116245761161d9250602082015190606060408401519301515f1a906116d6565b9192909190565b50505f9160029190565b67ffffffffffffffff81116112ca5760051b60200190565b906116508261162e565b61165d6040519182611289565b8281527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe061168b829461162e565b0190602036910137565b805182101561125c5760209160051b010190565b80516020909101905f5b8181106116c05750505090565b82518452602093840193909201916001016116b3565b91907f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411611765579160209360809260ff5f9560405194855216868401526040830152606082015282805260015afa1561175a575f5173ffffffffffffffffffffffffffffffffffffffff81161561175057905f905f90565b505f906001905f90565b6040513d5f823e3d90fd5b5050505f916003919056' as const

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
        "internalType": "uint96",
        "name": "cap",
        "type": "uint96"
      },
      {
        "internalType": "uint96",
        "name": "spent",
        "type": "uint96"
      },
      {
        "internalType": "uint64",
        "name": "day",
        "type": "uint64"
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
    "stateMutability": "nonpayable",
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
        "internalType": "uint96",
        "name": "cap",
        "type": "uint96"
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

export const solverVaultBytecode = '0x60803460c157601f6118af38819003918201601f19168301916001600160401b0383118484101760c55780849260209460405283398101031260c157516001600160a01b0381169081900360c157801560ae57600180546001600160a01b03199081169091555f80549182168317815560405192916001600160a01b0316907f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09080a36117d590816100da8239f35b631e4fbdf760e01b5f525f60045260245ffd5b5f80fd5b634e487b7160e01b5f52604160045260245ffdfe60806040526004361015610022575b3615610018575f80fd5b610020610bfb565b005b5f3560e01c806316c38b3c14610101578063558a7297146100fc57806359fe97ee146100f75780635c975abb146100f25780636d70f7ae146100ed5780636e39cc9c146100e8578063715018a6146100e357806379ba5097146100de5780638da5cb5b146100d9578063a90a55f6146100d4578063d9caed12146100cf578063e30c3978146100ca578063ed75e1cc146100c55763f2fde38b0361000e576108ed565b6108a0565b61084f565b610780565b6106ac565b61065c565b610554565b610492565b6103fe565b610392565b610352565b6102a9565b6101d0565b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5760043580151580910361019f5760207f40db37ff5c0bdc2c427fbb2078c8f24afea940abac0e3c23bb4ea3bf2da2b21291610169610c29565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff006005541660ff821617600555604051908152a1005b5f80fd5b73ffffffffffffffffffffffffffffffffffffffff81160361019f57565b604435906101ce826101a3565b565b3461019f5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5760043561020b816101a3565b6024359081151580920361019f57602073ffffffffffffffffffffffffffffffffffffffff7f1a594081ae893ab78e67d9b9e843547318164322d32c65369d78a96172d9dc8f9261025a610c29565b1692835f526003825260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0081541660ff8316179055604051908152a2005b908160a091031261019f5790565b3461019f5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5760043560243567ffffffffffffffff811161019f573660238201121561019f57806004013567ffffffffffffffff811161019f57366024606083028401011161019f576103236101c1565b906064359367ffffffffffffffff851161019f57602461034a61002096369060040161029b565b9401906109ae565b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f57602060ff600554166040519015158152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5773ffffffffffffffffffffffffffffffffffffffff6004356103e2816101a3565b165f526003602052602060ff60405f2054166040519015158152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5773ffffffffffffffffffffffffffffffffffffffff60043561044e816101a3565b165f526004602052606060405f2054604051906bffffffffffffffffffffffff811682526bffffffffffffffffffffffff81841c16602083015260c01c6040820152f35b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576104c8610c29565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000600154166001555f73ffffffffffffffffffffffffffffffffffffffff81547fffffffffffffffffffffffff000000000000000000000000000000000000000081168355167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e08280a3005b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f573373ffffffffffffffffffffffffffffffffffffffff6001541603610630577fffffffffffffffffffffffff0000000000000000000000000000000000000000600154166001555f54337fffffffffffffffffffffffff00000000000000000000000000000000000000008216175f5573ffffffffffffffffffffffffffffffffffffffff3391167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3005b7f118cdaa7000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f57602073ffffffffffffffffffffffffffffffffffffffff5f5416604051908152f35b3461019f5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576004356106e7816101a3565b602435906bffffffffffffffffffffffff821680920361019f57602073ffffffffffffffffffffffffffffffffffffffff7ff4f5c5a1c2e6e7a905e1c6c8654288a10a1d0aa171a08cbef25f5978d7ae86b492610742610c29565b1692835f526004825260405f20817fffffffffffffffffffffffffffffffffffffffff000000000000000000000000825416179055604051908152a2005b3461019f5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576004356107bb816101a3565b6024356107c7816101a3565b7fd1c19fbcd4551a5edfb66d43d2e337c04837afda3482b42bdf569a8fccdae5fb602073ffffffffffffffffffffffffffffffffffffffff806044359461080c610c29565b610814610c49565b61081f868289610f72565b60405195865216941692a35f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d005b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f57602073ffffffffffffffffffffffffffffffffffffffff60015416604051908152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576004355f526002602052602060ff60405f2054166040519015158152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5773ffffffffffffffffffffffffffffffffffffffff60043561093d816101a3565b610945610c29565b16807fffffffffffffffffffffffff0000000000000000000000000000000000000000600154161760015573ffffffffffffffffffffffffffffffffffffffff5f54167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e227005f80a3005b93916109b8610c49565b6109f16109ed6109e63373ffffffffffffffffffffffffffffffffffffffff165f52600360205260405f2090565b5460ff1690565b1590565b610b855760055460ff16610b5d57610a146109e6865f52600260205260405f2090565b610b3057610a58610a2d865f52600260205260405f2090565b60017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055565b5f5b818110610abe5750505073ffffffffffffffffffffffffffffffffffffffff8216610aae575b50507f6930ee93026433301a14b1baa0b52ca0d4640cb1edaa703beeb9056e235269845f80a26101ce610cbd565b610ab791611669565b5f80610a80565b80610aef610ada6020610ad46001958789610bb1565b01610bee565b6040610ae7848789610bb1565b013590610d21565b610b2a610b026020610ad4848789610bb1565b610b15610b10848789610bb1565b610bee565b6040610b2285888a610bb1565b013591610f72565b01610a5a565b7f7170b34f000000000000000000000000000000000000000000000000000000005f52600485905260245ffd5b7f9e87fac8000000000000000000000000000000000000000000000000000000005f5260045ffd5b7f76c6c93a000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b9190811015610bc1576060020190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b35610bf8816101a3565b90565b6040513481527f8ac633e5b094e1150d2a6495df4d0c77f51d293abe99e7733c78870dfbee766060203392a2565b73ffffffffffffffffffffffffffffffffffffffff5f5416330361063057565b7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005c610c955760017f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d565b7f3ee5aeb5000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b91908201809211610d1c57565b610ce2565b73ffffffffffffffffffffffffffffffffffffffff81165f908152600460205260409020805490926bffffffffffffffffffffffff8216908115610e7457610dae9067ffffffffffffffff6201518042041693610d7e8160c01c90565b67ffffffffffffffff8087169116145f14610e60576bffffffffffffffffffffffff9060601c81165b1690610d0f565b92818411610e18575050825460c09190911b7fffffffffffffffff000000000000000000000000000000000000000000000000166bffffffffffffffffffffffff9091161760609190911b77ffffffffffffffffffffffff00000000000000000000000016179055565b7fbf93256b000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff166004526024525060445260645ffd5b506bffffffffffffffffffffffff5f610da7565b5050505050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff821117610ee957604052565b610e7b565b3d15610f46573d9067ffffffffffffffff8211610ee95760405191610f3b60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8401160184610ea8565b82523d5f602084013e565b606090565b9081602091031261019f575190565b6040513d5f823e3d90fd5b91908203918211610d1c57565b909173ffffffffffffffffffffffffffffffffffffffff8316308114908115611347575b506113055773ffffffffffffffffffffffffffffffffffffffff8216801561129d576040517f70a0823100000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff85166004820152602081602481855afa9081156111dd575f9161127e575b506040517fa9059cbb000000000000000000000000000000000000000000000000000000006020820190815273ffffffffffffffffffffffffffffffffffffffff87166024830152604482018590525f9182919061109a81606481015b037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282610ea8565b519082885af16110a8610eee565b9015908180611272575b61126d5780518015159182611237575b5050811561122f575b506111e2576040517f70a0823100000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8616600482015291602090839060249082905afa80156111dd57611136925f916111ae575b50610f65565b908082036111445750505050565b906111aa916040519485947f1def5d4a000000000000000000000000000000000000000000000000000000008652600486019094939273ffffffffffffffffffffffffffffffffffffffff60609381608085019816845216602083015260408201520152565b0390fd5b6111d0915060203d6020116111d6575b6111c88183610ea8565b810190610f4b565b5f611130565b503d6111be565b610f5a565b7fc8776798000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff8085166004528516602452604483905260645ffd5b90505f6110cb565b60208210925090821561124e575b50505f806110c2565b6001925090602080611264938301019101610f4b565b14155f80611245565b61177e565b506004815110156110b2565b611297915060203d6020116111d6576111c88183610ea8565b5f611011565b5091905f80808086865af16112b0610eee565b50156112bb57505050565b7fc8776798000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff9081166004521660245260445260645ffd5b7f17858bbe000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff831660045260245ffd5b9050155f610f96565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561019f57016020813591019167ffffffffffffffff821161019f57813603831361019f57565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561019f57016020813591019167ffffffffffffffff821161019f578160051b3603831361019f57565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18236030181121561019f570190565b602081526114e76114c861148b61147a8580611350565b60a0602087015260c08601916113a0565b6114986020860186611350565b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08684030160408701526113a0565b92604081013560608401526060810135608084015260808101906113de565b909160a07fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082860301910152808352602083019260208260051b82010193835f925b8484106115395750505050505090565b9091929394957fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08282030184526115708784611431565b6115906060830191803584526020810135602085015260408101906113de565b8091926060604086015252608083019060808160051b85010193835f905b8382106115d1575050505050506020806001929801940194019294939190611529565b90919293949560208061165b837fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff808860019603018a52606061164b6116168d89611431565b73ffffffffffffffffffffffffffffffffffffffff8135611636816101a3565b16845285810135868501526040810190611350565b91909281604082015201916113a0565b9801960194939201906115ae565b90813b1561173c575f80916040516116af8161106e60208201947f0bb2772300000000000000000000000000000000000000000000000000000000865260248301611463565b519082855af16116bd610eee565b9015611737578051906020821091821561171c575b50506116db5750565b7f4d52a757000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff1660045260245ffd5b61172f9250602080918301019101610f4b565b155f806116d2565b611799565b7f7e6ef3fe000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff821660045260245ffd5b80511561178d57602081519101fd5b5f80525f60045260245ffd5b908151156117aa5750602081519101fd5b7f4d52a757000000000000000000000000000000000000000000000000000000005f5260045260245ffd' as const

export const solverVaultRuntime = '0x60806040526004361015610022575b3615610018575f80fd5b610020610bfb565b005b5f3560e01c806316c38b3c14610101578063558a7297146100fc57806359fe97ee146100f75780635c975abb146100f25780636d70f7ae146100ed5780636e39cc9c146100e8578063715018a6146100e357806379ba5097146100de5780638da5cb5b146100d9578063a90a55f6146100d4578063d9caed12146100cf578063e30c3978146100ca578063ed75e1cc146100c55763f2fde38b0361000e576108ed565b6108a0565b61084f565b610780565b6106ac565b61065c565b610554565b610492565b6103fe565b610392565b610352565b6102a9565b6101d0565b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5760043580151580910361019f5760207f40db37ff5c0bdc2c427fbb2078c8f24afea940abac0e3c23bb4ea3bf2da2b21291610169610c29565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff006005541660ff821617600555604051908152a1005b5f80fd5b73ffffffffffffffffffffffffffffffffffffffff81160361019f57565b604435906101ce826101a3565b565b3461019f5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5760043561020b816101a3565b6024359081151580920361019f57602073ffffffffffffffffffffffffffffffffffffffff7f1a594081ae893ab78e67d9b9e843547318164322d32c65369d78a96172d9dc8f9261025a610c29565b1692835f526003825260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0081541660ff8316179055604051908152a2005b908160a091031261019f5790565b3461019f5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5760043560243567ffffffffffffffff811161019f573660238201121561019f57806004013567ffffffffffffffff811161019f57366024606083028401011161019f576103236101c1565b906064359367ffffffffffffffff851161019f57602461034a61002096369060040161029b565b9401906109ae565b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f57602060ff600554166040519015158152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5773ffffffffffffffffffffffffffffffffffffffff6004356103e2816101a3565b165f526003602052602060ff60405f2054166040519015158152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5773ffffffffffffffffffffffffffffffffffffffff60043561044e816101a3565b165f526004602052606060405f2054604051906bffffffffffffffffffffffff811682526bffffffffffffffffffffffff81841c16602083015260c01c6040820152f35b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576104c8610c29565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000600154166001555f73ffffffffffffffffffffffffffffffffffffffff81547fffffffffffffffffffffffff000000000000000000000000000000000000000081168355167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e08280a3005b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f573373ffffffffffffffffffffffffffffffffffffffff6001541603610630577fffffffffffffffffffffffff0000000000000000000000000000000000000000600154166001555f54337fffffffffffffffffffffffff00000000000000000000000000000000000000008216175f5573ffffffffffffffffffffffffffffffffffffffff3391167f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e05f80a3005b7f118cdaa7000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f57602073ffffffffffffffffffffffffffffffffffffffff5f5416604051908152f35b3461019f5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576004356106e7816101a3565b602435906bffffffffffffffffffffffff821680920361019f57602073ffffffffffffffffffffffffffffffffffffffff7ff4f5c5a1c2e6e7a905e1c6c8654288a10a1d0aa171a08cbef25f5978d7ae86b492610742610c29565b1692835f526004825260405f20817fffffffffffffffffffffffffffffffffffffffff000000000000000000000000825416179055604051908152a2005b3461019f5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576004356107bb816101a3565b6024356107c7816101a3565b7fd1c19fbcd4551a5edfb66d43d2e337c04837afda3482b42bdf569a8fccdae5fb602073ffffffffffffffffffffffffffffffffffffffff806044359461080c610c29565b610814610c49565b61081f868289610f72565b60405195865216941692a35f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d005b3461019f575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f57602073ffffffffffffffffffffffffffffffffffffffff60015416604051908152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f576004355f526002602052602060ff60405f2054166040519015158152f35b3461019f5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261019f5773ffffffffffffffffffffffffffffffffffffffff60043561093d816101a3565b610945610c29565b16807fffffffffffffffffffffffff0000000000000000000000000000000000000000600154161760015573ffffffffffffffffffffffffffffffffffffffff5f54167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e227005f80a3005b93916109b8610c49565b6109f16109ed6109e63373ffffffffffffffffffffffffffffffffffffffff165f52600360205260405f2090565b5460ff1690565b1590565b610b855760055460ff16610b5d57610a146109e6865f52600260205260405f2090565b610b3057610a58610a2d865f52600260205260405f2090565b60017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055565b5f5b818110610abe5750505073ffffffffffffffffffffffffffffffffffffffff8216610aae575b50507f6930ee93026433301a14b1baa0b52ca0d4640cb1edaa703beeb9056e235269845f80a26101ce610cbd565b610ab791611669565b5f80610a80565b80610aef610ada6020610ad46001958789610bb1565b01610bee565b6040610ae7848789610bb1565b013590610d21565b610b2a610b026020610ad4848789610bb1565b610b15610b10848789610bb1565b610bee565b6040610b2285888a610bb1565b013591610f72565b01610a5a565b7f7170b34f000000000000000000000000000000000000000000000000000000005f52600485905260245ffd5b7f9e87fac8000000000000000000000000000000000000000000000000000000005f5260045ffd5b7f76c6c93a000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b9190811015610bc1576060020190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b35610bf8816101a3565b90565b6040513481527f8ac633e5b094e1150d2a6495df4d0c77f51d293abe99e7733c78870dfbee766060203392a2565b73ffffffffffffffffffffffffffffffffffffffff5f5416330361063057565b7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005c610c955760017f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d565b7f3ee5aeb5000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f7f9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f005d565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b91908201809211610d1c57565b610ce2565b73ffffffffffffffffffffffffffffffffffffffff81165f908152600460205260409020805490926bffffffffffffffffffffffff8216908115610e7457610dae9067ffffffffffffffff6201518042041693610d7e8160c01c90565b67ffffffffffffffff8087169116145f14610e60576bffffffffffffffffffffffff9060601c81165b1690610d0f565b92818411610e18575050825460c09190911b7fffffffffffffffff000000000000000000000000000000000000000000000000166bffffffffffffffffffffffff9091161760609190911b77ffffffffffffffffffffffff00000000000000000000000016179055565b7fbf93256b000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff166004526024525060445260645ffd5b506bffffffffffffffffffffffff5f610da7565b5050505050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff821117610ee957604052565b610e7b565b3d15610f46573d9067ffffffffffffffff8211610ee95760405191610f3b60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8401160184610ea8565b82523d5f602084013e565b606090565b9081602091031261019f575190565b6040513d5f823e3d90fd5b91908203918211610d1c57565b909173ffffffffffffffffffffffffffffffffffffffff8316308114908115611347575b506113055773ffffffffffffffffffffffffffffffffffffffff8216801561129d576040517f70a0823100000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff85166004820152602081602481855afa9081156111dd575f9161127e575b506040517fa9059cbb000000000000000000000000000000000000000000000000000000006020820190815273ffffffffffffffffffffffffffffffffffffffff87166024830152604482018590525f9182919061109a81606481015b037fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08101835282610ea8565b519082885af16110a8610eee565b9015908180611272575b61126d5780518015159182611237575b5050811561122f575b506111e2576040517f70a0823100000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8616600482015291602090839060249082905afa80156111dd57611136925f916111ae575b50610f65565b908082036111445750505050565b906111aa916040519485947f1def5d4a000000000000000000000000000000000000000000000000000000008652600486019094939273ffffffffffffffffffffffffffffffffffffffff60609381608085019816845216602083015260408201520152565b0390fd5b6111d0915060203d6020116111d6575b6111c88183610ea8565b810190610f4b565b5f611130565b503d6111be565b610f5a565b7fc8776798000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff8085166004528516602452604483905260645ffd5b90505f6110cb565b60208210925090821561124e575b50505f806110c2565b6001925090602080611264938301019101610f4b565b14155f80611245565b61177e565b506004815110156110b2565b611297915060203d6020116111d6576111c88183610ea8565b5f611011565b5091905f80808086865af16112b0610eee565b50156112bb57505050565b7fc8776798000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff9081166004521660245260445260645ffd5b7f17858bbe000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff831660045260245ffd5b9050155f610f96565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561019f57016020813591019167ffffffffffffffff821161019f57813603831361019f57565b601f82602094937fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe093818652868601375f8582860101520116010190565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18236030181121561019f57016020813591019167ffffffffffffffff821161019f578160051b3603831361019f57565b90357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa18236030181121561019f570190565b602081526114e76114c861148b61147a8580611350565b60a0602087015260c08601916113a0565b6114986020860186611350565b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08684030160408701526113a0565b92604081013560608401526060810135608084015260808101906113de565b909160a07fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082860301910152808352602083019260208260051b82010193835f925b8484106115395750505050505090565b9091929394957fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08282030184526115708784611431565b6115906060830191803584526020810135602085015260408101906113de565b8091926060604086015252608083019060808160051b85010193835f905b8382106115d1575050505050506020806001929801940194019294939190611529565b90919293949560208061165b837fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff808860019603018a52606061164b6116168d89611431565b73ffffffffffffffffffffffffffffffffffffffff8135611636816101a3565b16845285810135868501526040810190611350565b91909281604082015201916113a0565b9801960194939201906115ae565b90813b1561173c575f80916040516116af8161106e60208201947f0bb2772300000000000000000000000000000000000000000000000000000000865260248301611463565b519082855af16116bd610eee565b9015611737578051906020821091821561171c575b50506116db5750565b7f4d52a757000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff1660045260245ffd5b61172f9250602080918301019101610f4b565b155f806116d2565b611799565b7f7e6ef3fe000000000000000000000000000000000000000000000000000000005f5273ffffffffffffffffffffffffffffffffffffffff821660045260245ffd5b80511561178d57602081519101fd5b5f80525f60045260245ffd5b908151156117aa5750602081519101fd5b7f4d52a757000000000000000000000000000000000000000000000000000000005f5260045260245ffd' as const

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
